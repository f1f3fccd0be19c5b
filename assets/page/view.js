// Runs to be looked at: maps, panels and a timeline on one clock.

import { Clock } from "./clock.js";
import { button, drawn, element } from "./elements.js";
import { waysOf } from "./legend.js";
import { MapView } from "./map.js";
import { MatrixView } from "./matrix.js";
import { BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel } from "./plots.js";
import { nameOf, Run } from "./run.js";
import { timeNumber, timeUnit, timeWords } from "./words.js";

const PACES = [0.1, 0.25, 0.5, 1, 2, 5];
const ICONS = {
  first: "M4 3v10M13 3v10L6 8Z",
  back: "M12 3v10L5 8Z",
  play: "M4 2.5v11L13 8Z",
  pause: "M5 3v10M11 3v10",
  on: "M4 3v10L11 8Z",
  last: "M12 3v10M3 3v10L10 8Z",
};
export const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one sample back or on"],
  ["Shift ← →", "to the change of Δ before or after"],
  ["Home, End", "to the start, to the end"],
  ["+ − 0", "on a map: zoom in, zoom out, show all"],
  ["T", "light or dark"],
];

/**
 * Return runs made from their trees; of two, B's clock is laid upon A's.
 * page: the whole tree; places: of one or two runs; names: what to call two of one algorithm.
 */
export function runsOf(page, places, names = []) {
  return places.map((place, at) => {
    const tree = { ...page.runs[place], title: names[at] ?? page.runs[place].title };
    const graph = tree.graph === null || tree.graph === undefined ? null : page.graphs[tree.graph];
    return new Run(tree, graph, places.length > 1 ? "AB"[at] : "");
  });
}

export class RunsView {
  constructor(runs, { clocks = {}, words = "", cautions = [], note = "", panels = null, map = {} } = {}) {
    Object.assign(this, { runs, clocks });
    this.clock = new Clock(this.duration());
    this.pictures = runs
      .filter((run) => run.graph || run.matrix)
      .map((run) =>
        run.matrix
          ? new MatrixView(run, this.clock)
          : new MapView(run, this.clock, { ...map, pointed: (vertex) => this.pointed(run, vertex) }),
      );
    this.maps = this.pictures.filter((one) => one instanceof MapView);
    const kinds = panels ?? [BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel];
    this.panels = kinds
      .filter((kind) => kind !== DeltaPanel || runs.some((run) => run.bucketed))
      .map((kind) => new kind(runs, this.clock));
    this.spoken = element("p", { class: "spoken", "aria-live": "polite" });
    const said = [
      words ? element("p", { class: "summary" }, ...lettered(words, runs)) : null,
      ...cautions.map((one) => element("p", { class: "caution" }, one)),
      note ? element("p", { class: "caution" }, note) : null,
    ];
    this.beside = element("div", { class: "panels" }, ...this.panels.map((panel) => panel.root));
    this.root = element(
      "div",
      { class: `runs ${this.pictures.length > 1 ? "pair" : ""} ${this.pictures.length ? "" : "no-map"}` },
      element("div", { class: "said" }, ...said),
      this.bar(),
      element("div", { class: "maps" }, ...this.pictures.map((map) => map.root)),
      this.beside,
      this.notes(),
      this.timeline(),
      this.spoken,
    );
    this.clock.watch(() => this.speak());
  }

  duration() {
    return Math.max(...this.runs.map((run) => run.toA(run.time_ns)), 1);
  }

  pointed(run, vertex) {
    for (const map of this.maps) if (map.run !== run) map.follow(vertex);
  }

  /** Return what chooses how all is shown: colours, how clocks meet. */
  bar() {
    const drawnRuns = this.runs.filter((run) => run.vertices);
    const bar = element("div", { class: "bar-row" });
    if (drawnRuns.length) {
      const menu = element(
        "select",
        {},
        ...waysOf(drawnRuns).map(([way, title]) => element("option", { value: way }, title)),
      );
      menu.addEventListener("change", () => this.setWay(menu.value));
      this.wayMenu = menu;
      bar.append(element("label", {}, "Colour by ", menu));
    }
    const ways = Object.entries(this.clocks);
    if (ways.length > 1) {
      const menu = element("select", {}, ...ways.map(([how, one]) => element("option", { value: how }, one.title)));
      menu.addEventListener("change", () => this.align(menu.value));
      bar.append(element("label", {}, "Align by ", menu));
    }
    return bar;
  }

  setWay(way) {
    if (this.wayMenu && [...this.wayMenu.options].some((one) => one.value === way)) {
      this.wayMenu.value = way;
      this.maps.forEach((map) => map.setWay(way));
    }
  }

  align(how) {
    this.runs[1].layOn(this.clocks[how], how);
    this.clock.setDuration(this.duration());
    this.maps.forEach((map) => map.draw());
    this.redraw();
  }

  redraw() {
    this.panels.forEach((panel) => panel.redraw());
  }

  /** Take the colours of the page: the theme changed. */
  recolour() {
    this.pictures.forEach((map) => map.recolour());
    this.redraw();
  }

  /** Return the notes of the runs, each a button that goes there; null where there are none. */
  notes() {
    const rows = this.runs.flatMap((run) =>
      (run.notes ?? []).map((note, place) => {
        const atTime = note.vertex === undefined;
        const map = this.maps.find((one) => one.run === run);
        const shown = atTime || (map && note.vertex >= 0);
        const where = atTime
          ? timeWords(note.t_ns, run.time_ns)
          : shown
            ? `vertex ${nameOf(run.graph, note.vertex)}`
            : "a vertex that is not drawn";
        const label = run.letter ? `${run.letter}: ${where}` : where;
        const go = () => (atTime ? this.jump(run.toA(note.t_ns)) : map.look(note.vertex));
        const said = shown ? button(label, `Go to ${label}`, go) : element("span", { class: "muted" }, label);
        return element("li", {}, `${place + 1} `, said, ` ${note.text}`);
      }),
    );
    return rows.length
      ? element("section", { class: "notes" }, element("h3", {}, "Notes"), element("ul", {}, ...rows))
      : null;
  }

  timeline() {
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: this.clock.duration,
      step: "any",
      class: "time",
      "aria-label": "Time",
    });
    this.slider.addEventListener("input", () => {
      this.clock.pause();
      this.clock.go(Number(this.slider.value));
    });
    this.readout = element("output", { class: "readout" });
    this.playButton = button(icon("play"), "Play (Space)", () => this.clock.toggle(), { class: "play" });
    const pace = element(
      "select",
      { "aria-label": "Pace" },
      ...PACES.map((one) => element("option", { value: one, selected: one === 1 }, `${one}×`)),
    );
    pace.addEventListener("change", () => (this.clock.pace = Number(pace.value)));
    const transport = element(
      "div",
      { class: "transport" },
      button(icon("first"), "To the start (Home)", () => this.jump(0)),
      button(icon("back"), "One sample back (Left)", () => this.step("sample", false)),
      this.playButton,
      button(icon("on"), "One sample on (Right)", () => this.step("sample", true)),
      button(icon("last"), "To the end (End)", () => this.jump(this.clock.duration)),
      this.readout,
      element("label", { class: "pace" }, "Pace ", pace),
    );
    this.clock.watch(() => this.showTime());
    return element("div", { class: "timeline" }, this.slider, transport);
  }

  jump(ns) {
    this.clock.pause();
    this.clock.go(ns);
  }

  step(kind, forward) {
    const stops = this.runs.flatMap((run) => Array.from(run.stops(kind), (ns) => run.toA(ns)));
    this.clock.step(Float64Array.from(new Set(stops)).sort(), forward);
  }

  showTime() {
    const { now, duration, playing } = this.clock;
    const unit = timeUnit(duration);
    this.slider.max = duration;
    this.slider.value = now;
    this.slider.setAttribute("aria-valuetext", `${timeWords(now, duration)} of ${timeWords(duration)}`);
    this.readout.textContent = `${timeNumber(now, unit, duration)} / ${timeNumber(duration, unit, duration)} ${unit.word} ${this.runs[0].clock}`;
    const title = playing ? "Pause (Space)" : "Play (Space)";
    if (this.playButton.title !== title) {
      this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
      this.playButton.title = title;
      this.playButton.setAttribute("aria-label", title);
    }
  }

  /** Say the moment once it stands still for a while. */
  speak() {
    clearTimeout(this.waiting);
    if (this.clock.playing) return;
    const words = this.runs.map((run) => run.spoken(this.clock.now)).join(" ");
    if (!this.spoken.textContent) this.spoken.textContent = words;
    else this.waiting = setTimeout(() => (this.spoken.textContent = words), 400);
  }

  /** Do what a key means; return whether it meant something. */
  key(event) {
    const act = {
      " ": () => this.clock.toggle(),
      ArrowLeft: () => this.step(event.shiftKey ? "mark" : "sample", false),
      ArrowRight: () => this.step(event.shiftKey ? "mark" : "sample", true),
      Home: () => this.jump(0),
      End: () => this.jump(this.clock.duration),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return false;
    act();
    return true;
  }
}

function icon(name) {
  return drawn(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    drawn("path", { d: ICONS[name] }),
  );
}

/** Return a sentence with the letters of two runs before their names. */
function lettered(words, runs) {
  if (runs.length < 2 || runs[0].title === runs[1].title) return [words];
  const parts = [];
  let rest = words;
  while (rest) {
    const found = runs.map((run) => [rest.indexOf(run.title), run]).filter(([at]) => at >= 0);
    if (!found.length) break;
    const [at, run] = found.reduce((best, one) =>
      one[0] < best[0] || (one[0] === best[0] && one[1].title.length > best[1].title.length) ? one : best,
    );
    parts.push(rest.slice(0, at), element("b", { class: `letter ${run.letter}` }, run.letter), ` ${run.title}`);
    rest = rest.slice(at + run.title.length);
  }
  return [...parts, rest];
}
