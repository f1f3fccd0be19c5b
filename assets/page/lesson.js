// A lesson: steps with text, questions, and the runs that answer them.

import { isRight } from "./answers.js";
import { Clock } from "./clock.js";
import { button, element, trusted } from "./elements.js";
import { MapView } from "./map.js";
import { BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel } from "./plots.js";
import { fieldOf } from "./questions.js";
import { Run } from "./run.js";
import { SweepView } from "./sweep.js";
import { runsOf, RunsView } from "./view.js";

const PANEL_KINDS = { buckets: BucketsPanel, delta: DeltaPanel, parallelism: ParallelismPanel, work: WorkPanel };
const NO_COLUMNS = { t: new Float64Array(1), delta: new Float64Array(1) };

export class LessonView {
  constructor(page) {
    this.page = page;
    this.answers = new Map(); // step -> {answer, right}
    this.views = [];
    this.dots = page.steps.map((step, place) => {
      const title = trusted("span", step.title_html).textContent;
      return button(String(place + 1), `Step ${place + 1}: ${title}`, () => this.go(place));
    });
    this.score = element("p", { class: "score", role: "status" });
    this.field = element("article", { class: "step" });
    this.back = button("Back", "The step before", () => this.go(this.place - 1));
    this.next = button("Next", "The next step", () => this.go(this.place + 1), { class: "primary" });
    this.root = element(
      "div",
      { class: "lesson" },
      element("nav", { class: "nav", "aria-label": "Steps" }, ...this.dots, this.score),
      this.field,
      element("div", { class: "nav foot" }, this.back, this.next),
    );
    this.place = 0;
    this.show();
  }

  get step() {
    return this.page.steps[this.place];
  }

  go(place) {
    this.place = place;
    this.show();
    this.field.querySelector("h2").focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  show() {
    const { step } = this;
    this.views.forEach((view) => view.clock?.jump(view.clock.now));
    this.views = [];
    const answered = this.answers.get(step);
    const heading = trusted("h2", `${this.place + 1}. ${step.title_html}`);
    heading.tabIndex = -1;
    const parts = [heading, trusted("div", step.html, "text")];
    if (step.question) parts.push(this.ask(step, answered));
    else if (step.graph && !step.shows.length && !step.sweeps.length && !step.figures.length) {
      const { run, rings } = this.lookOf(step);
      parts.push(this.kept(new MapView(run, new Clock(1), { rings })).root);
    }
    if (step.driven)
      parts.push(element("p", { class: "caution" }, "This step is done by hand: open the lesson in SSSP Scope."));
    if (answered) parts.push(this.verdict(step, answered));
    if (answered || !step.question) parts.push(...this.pictures(step));
    this.field.replaceChildren(...parts);
    this.showNav();
  }

  /** Keep a view: it takes colours and keys while its step is shown. */
  kept(view) {
    this.views.push(view);
    return view;
  }

  /** Return the graph of a step before anything has run on it. */
  lookOf(step) {
    const graph = this.page.graphs[step.graph.graph];
    const tree = { title: graph.name, source: step.graph.source, columns: NO_COLUMNS, time_ns: 1 };
    return { run: new Run(tree, graph), rings: step.rings };
  }

  ask(step, answered) {
    const { question } = step;
    let answer = null;
    const submit = element("button", { class: "primary", disabled: true }, "Check");
    const give = (value) => {
      answer = value;
      submit.disabled = value === null;
    };
    const field = fieldOf(question, give, question.kind === "vertex" ? this.lookOf(step) : null);
    if (field.map) this.kept(field.map);
    const box = element("form", { class: "ask" }, trusted("p", question.ask_html, "asked"), field.root, submit);
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      if (answer !== null) this.answered(step, answer);
    });
    if (answered) {
      field.show(answered.answer);
      submit.hidden = true;
      box.inert = true;
      box.classList.add("done");
    }
    return box;
  }

  answered(step, answer) {
    this.answers.set(step, { answer, right: isRight(step.question, answer) });
    this.show();
    this.field.querySelector(".verdict").focus({ preventScroll: true });
  }

  /** Say whether the answer was right, and why. */
  verdict({ question }, { right }) {
    const kind = `verdict ${right ? "right" : "wrong"}`;
    const words = element("p", { class: kind, tabindex: -1, role: "status" }, right ? "✓ Right." : "✗ Not quite. ");
    if (!right) words.append("The engine says: ", trusted("strong", question.answer_html));
    return element("div", {}, words, trusted("div", right ? question.right_html : question.wrong_html, "text"));
  }

  /** Return what the engine found: sweeps, faults, runs. */
  pictures(step) {
    const sweeps = step.sweeps.filter((sweep) => sweep.points.length > 1);
    return [
      ...sweeps.map((sweep) => this.kept(new SweepView({ ...this.page, sweep })).root),
      ...step.figures.map(figurePicture),
      ...step.shows.map((show) => this.runs(step, show)),
    ];
  }

  runs(step, show) {
    const { words, cautions, names, shown } = show;
    const panels = step.panels.length ? step.panels.map((name) => PANEL_KINDS[name]) : null;
    const view = new RunsView(runsOf(this.page, shown, names), { words, cautions, panels, rings: step.rings });
    if (step.way) view.setWay(step.way);
    const moment = show.seek ?? show.telling_ns; // two finished maps look alike
    if (moment) view.clock.go(moment);
    return this.kept(view).root;
  }

  showNav() {
    const { place, answers } = this;
    this.dots.forEach((dot, at) => {
      const answer = answers.get(this.page.steps[at]);
      dot.className = `dot ${answer ? (answer.right ? "right" : "wrong") : ""}`;
      if (at === place) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    const count = this.page.steps.filter((step) => step.question).length;
    const right = [...answers.values()].filter((one) => one.right).length;
    this.score.textContent = answers.size ? `${right} of ${count} right` : "";
    this.back.disabled = place === 0;
    this.next.disabled = place === this.page.steps.length - 1;
  }

  recolour() {
    this.views.forEach((view) => view.recolour());
  }

  key(event) {
    const players = this.views.filter((view) => view.key);
    const inside = players.find((view) => view.root.contains(event.target));
    return (inside ?? players[0])?.key(event) ?? false;
  }
}

/** Return a drawing of gpu.lessons.figures with its caption. */
function figurePicture({ kind, svg, title, words }) {
  const caption = element("figcaption", {}, element("b", {}, title), `: ${words}`);
  return element("figure", { class: "drawing" }, trusted("div", svg, kind), caption);
}
