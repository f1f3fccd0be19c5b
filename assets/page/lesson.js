// A lesson: steps with text, questions, and the runs that answer them.

import { fieldOf } from "./questions.js";
import { Clock } from "./clock.js";
import { button, drawn, element, trusted } from "./elements.js";
import { MapView } from "./map.js";
import { BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel } from "./plots.js";
import { Progress } from "./answers.js";
import { Run } from "./run.js";
import { SweepView } from "./sweep.js";
import { runsOf, RunsView } from "./view.js";

const PANEL_KINDS = { buckets: BucketsPanel, delta: DeltaPanel, parallelism: ParallelismPanel, work: WorkPanel };
const NO_COLUMNS = { t: new Float64Array(1), delta: new Float64Array(1) };

export class LessonView {
  constructor(page) {
    this.page = page;
    this.progress = new Progress(page.steps);
    this.store = `sssp-scope lesson ${page.key}`;
    this.progress.restore(this.kept());
    this.dots = page.steps.map((step, place) =>
      button(String(place + 1), `Step ${place + 1}: ${plainText(step.title_html)}`, () => this.go(place)),
    );
    this.score = element("p", { class: "score", role: "status" });
    this.nav = element("nav", { class: "nav", "aria-label": "Steps" }, ...this.dots, this.score);
    this.field = element("article", { class: "step" });
    this.back = button("Back", "The step before", () => this.go(this.progress.place - 1));
    this.on = button("Next", "The next step", () => this.go(this.progress.place + 1), { class: "primary" });
    this.again = button("Begin again", "Forget every answer", () => this.restart());
    const foot = element("div", { class: "nav foot" }, this.back, this.on, element("span", { class: "gap" }), this.again);
    this.root = element("div", { class: "lesson" }, this.nav, this.field, foot);
    this.go(this.progress.place, false);
  }

  get step() {
    return this.page.steps[this.progress.place];
  }

  go(place, moves = true) {
    this.progress.place = Math.min(Math.max(place, 0), this.page.steps.length - 1);
    this.keep();
    this.show();
    if (moves) {
      this.field.querySelector("h2").focus({ preventScroll: true });
      scrollTo({ top: 0 });
    }
  }

  restart() {
    this.progress.restore({ step: 0, answers: {} });
    this.go(0);
  }

  show() {
    const { step, progress } = this;
    this.views?.forEach((view) => view.clock.pause());
    this.views = [];
    this.pictures = [];
    const answered = progress.answers[step.key];
    const heading = trusted("h2", `${progress.place + 1}. ${step.title_html}`);
    heading.tabIndex = -1;
    this.field.replaceChildren(heading, trusted("div", step.html, "text"));
    if (step.question) this.field.append(this.ask(step, answered));
    else this.field.append(...this.plain(step));
    if (step.driven)
      this.field.append(
        element("p", { class: "caution" }, "This step is driven by hand: open the lesson in SSSP Scope."),
      );
    this.told = element("div", { class: "told" });
    this.field.append(this.told);
    if (!step.question || answered) this.tell(step);
    this.showNav();
  }

  /** Show the graph of a step that shows no run. */
  plain(step) {
    if (!step.graph || step.shows.length || step.sweeps.length || step.faults.length) return [];
    const look = this.lookOf(step);
    const map = new MapView(look.run, look.clock, { rings: look.rings });
    this.pictures.push(map);
    return [map.root];
  }

  /** Return a graph that nothing has run on, as a map wants it. */
  lookOf(step) {
    const graph = this.page.graphs[step.graph.graph];
    const run = new Run(
      { title: graph.name, source: step.graph.source, columns: NO_COLUMNS, time_ns: 1, vertices: null },
      graph,
    );
    return { run, clock: new Clock(1), rings: step.rings };
  }

  ask(step, answered) {
    const { question } = step;
    let meant = answered ? answered.given : null;
    const submit = button("Check", "Check the answer", () => this.answered(step, meant), {
      class: "primary",
      disabled: true,
    });
    const look = question.kind === "vertex" && step.graph ? this.lookOf(step) : null;
    const field = fieldOf(
      question,
      (given) => {
        meant = given;
        submit.disabled = given === null;
      },
      look,
    );
    if (field.map) this.pictures.push(field.map);
    const box = element("form", { class: "ask" }, trusted("p", question.ask_html, "asked"), field.root, submit);
    box.addEventListener("submit", (event) => {
      event.preventDefault(); // Enter checks
      if (!answered) this.answered(step, meant);
    });
    if (answered) {
      field.show(answered.given);
      submit.hidden = true;
      box.inert = true;
      box.classList.add("done");
    }
    return box;
  }

  answered(step, given) {
    if (given === null) return;
    this.progress.answer(step, given);
    this.keep();
    this.show();
    this.field.querySelector(".verdict")?.focus({ preventScroll: true });
  }

  /** Say whether the answer was right, and show what the engine found. */
  tell(step) {
    const answered = this.progress.answers[step.key];
    const parts = [];
    if (answered) {
      const { question } = step;
      const said = answered.right ? "Right" : "Not quite";
      const verdict = element(
        "p",
        { class: `verdict ${answered.right ? "right" : "wrong"}`, tabindex: -1, role: "status" },
        answered.right ? "✓ " : "✗ ",
        `${said}. `,
      );
      if (!answered.right) verdict.append("The engine says: ", trusted("strong", question.answer_html));
      parts.push(verdict, trusted("div", answered.right ? question.right_html : question.wrong_html, "text"));
    }
    parts.push(...step.sweeps.filter((sweep) => sweep.points.length > 1).map((sweep) => this.sweep(sweep)));
    parts.push(...step.faults.map(faultPicture));
    parts.push(...step.shows.map((show) => this.runs(step, show)));
    this.told.replaceChildren(...parts);
  }

  /** A sweep with its slider. */
  sweep(sweep) {
    const view = new SweepView({ ...this.page, sweep });
    this.views.push(view);
    return view.root;
  }

  runs(step, show) {
    const panels = step.panels.map((name) => PANEL_KINDS[name]);
    const { clocks, words, cautions } = show;
    const view = new RunsView(runsOf(this.page, show.shown, show.names), {
      clocks,
      words,
      cautions,
      panels: panels.length ? panels : null,
      map: { rings: step.rings },
    });
    if (step.way) view.setWay(step.way);
    const moment = show.seek ?? show.telling_ns; // two finished maps look alike
    if (moment) view.clock.go(moment);
    this.views.push(view);
    return view.root;
  }

  showNav() {
    const { place, answers } = this.progress;
    this.dots.forEach((dot, at) => {
      const answer = answers[this.page.steps[at].key];
      dot.className = `dot ${answer ? (answer.right ? "right" : "wrong") : ""}`;
      if (at === place) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    const asked = this.progress.asked.length;
    const begun = Object.keys(answers).length > 0;
    this.score.textContent = begun ? `${this.progress.right} of ${asked} right` : "";
    this.back.disabled = place === 0;
    this.on.disabled = place === this.page.steps.length - 1;
  }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.store));
    } catch {
      return null; // a browser without storage
    }
  }

  keep() {
    try {
      localStorage.setItem(this.store, JSON.stringify(this.progress.state()));
    } catch {
      // see `kept`
    }
  }

  recolour() {
    this.views.forEach((view) => view.recolour());
    this.pictures.forEach((picture) => picture.recolour());
  }

  key(event) {
    const inside = this.views.find((view) => view.root.contains(event.target));
    return (inside ?? this.views[0])?.key(event) ?? false;
  }
}

/** Return the wrong entries of a faulty listing: a row for each source, a column for each vertex. */
function faultPicture(fault) {
  const cells = Array.from(fault.wrong.keys())
    .filter((at) => fault.wrong[at])
    .map((at) => drawn("rect", { x: at % fault.columns, y: Math.floor(at / fault.columns), width: 1, height: 1 }));
  const words = `${fault.title}: ${fault.words}`;
  const svg = drawn(
    "svg",
    { class: "wrong", viewBox: `0 0 ${fault.columns} ${fault.rows}`, role: "img", "aria-label": words },
    ...cells,
  );
  return element(
    "figure",
    { class: "fault" },
    svg,
    element("figcaption", {}, element("b", {}, fault.title), `: ${fault.words}`),
  );
}

function plainText(html) {
  return trusted("span", html).textContent;
}
