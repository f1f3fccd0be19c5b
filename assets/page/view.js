// Runs to be looked at: maps, panels and a timeline on one clock.

import { Clock } from "./clock.js";
import { button, element } from "./elements.js";
import { waysOf } from "./legend.js";
import { MapView } from "./map.js";
import { MatrixView } from "./matrix.js";
import { BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel } from "./plots.js";
import { nameOf, Run } from "./run.js";
import { timeNumber, timeUnit, timeWords } from "./words.js";

export const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one sample back or on"],
  ["Shift ← →", "to the change of Δ before or after"],
  ["Home, End", "to the start, to the end"],
  ["T", "light or dark"],
];

/** Return the runs of a page at `places`; names: what to call two of one algorithm. */
export function runsOf(page, places, names = []) {
  return places.map((place, at) => {
    const tree = { ...page.runs[place], title: names[at] ?? page.runs[place].title };
    return new Run(tree, page.graphs[tree.graph] ?? null, places.length > 1 ? "AB"[at] : "");
  });
}

export class RunsView {
  constructor(runs, { words = "", cautions = [], note = "", panels = null, rings = [] } = {}) {
    this.runs = runs;
    this.clock = new Clock(Math.max(...runs.map((run) => run.time_ns), 1));
    this.maps = runs
      .filter((run) => run.graph && !run.matrix)
      .map((run) => new MapView(run, this.clock, { rings, pointed: (vertex) => this.pointed(vertex) }));
    this.matrices = runs.filter((run) => run.matrix).map((run) => new MatrixView(run, this.clock));
    const kinds = panels ?? [BucketsPanel, DeltaPanel, ParallelismPanel, WorkPanel];
    this.panels = kinds
      .filter((kind) => kind !== DeltaPanel || runs.some((run) => run.bucketed))
      .map((kind) => new kind(runs, this.clock));
    this.beside = element("div", { class: "panels" }, ...this.panels.map((panel) => panel.root));
    const pictures = [...this.maps, ...this.matrices];
    const cautionLines = [...cautions, note].filter(Boolean).map((one) => element("p", { class: "caution" }, one));
    this.root = element(
      "div",
      { class: `runs ${pictures.length > 1 ? "pair" : ""} ${pictures.length ? "" : "no-map"}` },
      element("div", { class: "said" }, words && element("p", { class: "summary" }, words), ...cautionLines),
      this.wayRow(),
      element("div", { class: "maps" }, ...pictures.map((picture) => picture.root)),
      this.beside,
      this.timeline(),
    );
    this.clock.watch(() => this.showTime());
  }

  /** Point at a vertex on every map. */
  pointed(vertex) {
    this.maps.forEach((map) => map.point(vertex));
  }

  /** Return the menu of the ways of colouring. */
  wayRow() {
    const options = this.maps.length ? waysOf(this.maps.map((map) => map.run)) : [];
    this.wayMenu = element(
      "select",
      {},
      ...options.map(([way, title]) => element("option", { value: way }, title)),
    );
    this.wayMenu.addEventListener("change", () => this.setWay(this.wayMenu.value));
    const row = element("div", { class: "bar-row" }, element("label", {}, "Colour by ", this.wayMenu));
    return options.length > 1 ? row : null;
  }

  setWay(way) {
    if (![...this.wayMenu.options].some((one) => one.value === way)) return;
    this.wayMenu.value = way;
    this.maps.forEach((map) => map.setWay(way));
  }

  /** Take the colours of the page: the theme changed. */
  recolour() {
    [...this.maps, ...this.matrices].forEach((picture) => picture.recolour());
    this.panels.forEach((panel) => panel.redraw());
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
    this.slider.addEventListener("input", () => this.clock.jump(Number(this.slider.value)));
    this.readout = element("output", { class: "readout" });
    this.playButton = button("Play", "Play (Space)", () => this.clock.toggle(), { class: "play" });
    const transport = element(
      "div",
      { class: "transport" },
      button("⇤", "To the start (Home)", () => this.clock.jump(0)),
      button("←", "One sample back (Left)", () => this.step(false, false)),
      this.playButton,
      button("→", "One sample on (Right)", () => this.step(true, false)),
      button("⇥", "To the end (End)", () => this.clock.jump(this.clock.duration)),
      this.readout,
    );
    return element("div", { class: "timeline" }, this.slider, transport);
  }

  step(forward, onlyChanges) {
    const stops = this.runs.flatMap((run) => Array.from(run.stops(onlyChanges)));
    this.clock.step(Float64Array.from(new Set(stops)).sort(), forward);
  }

  showTime() {
    const { now, duration, playing } = this.clock;
    const unit = timeUnit(duration);
    this.slider.value = now;
    const values = this.panels.map((panel) => `${panel.title}: ${panel.spoken()}`);
    this.slider.setAttribute("aria-valuetext", [timeWords(now, duration), ...values].join("; "));
    const [shown, end] = [now, duration].map((ns) => timeNumber(ns, unit, duration));
    this.readout.textContent = `${shown} / ${end} ${unit.word} ${this.runs[0].clock}`;
    const word = playing ? "Pause" : "Play";
    if (this.playButton.textContent === word) return;
    this.playButton.textContent = word;
    this.playButton.title = `${word} (Space)`;
    this.playButton.setAttribute("aria-label", this.playButton.title);
  }

  /** Do what a key means; return whether it meant something. */
  key(event) {
    const act = {
      " ": () => this.clock.toggle(),
      ArrowLeft: () => this.step(false, event.shiftKey),
      ArrowRight: () => this.step(true, event.shiftKey),
      Home: () => this.clock.jump(0),
      End: () => this.clock.jump(this.clock.duration),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return false;
    act();
    return true;
  }
}
