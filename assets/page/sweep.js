// A sweep: a slider over one knob goes through its recorded runs, the U-curve beside the map.

import { drawn, element, label } from "./elements.js";
import { BucketsPanel, ParallelismPanel, WorkPanel } from "./plots.js";
import { plainNumber, short, thousands, timeNumber, timeUnit, timeWords } from "./words.js";
import { runsOf, RunsView } from "./view.js";

const PANELS = [BucketsPanel, ParallelismPanel, WorkPanel]; // beside the curve
const WIDE = 440; // of the drawing, its own units
const HIGH = 200;
const SIDE = 46;
const FLOOR = 40;

/** The curve of a sweep: time and work against the swept value, both axes logarithmic. */
export class Curve {
  /** points: {value, time_ns, work, clip, words}; chosen(place) is called when one is clicked. */
  constructor(sweep, chosen = null) {
    Object.assign(this, { sweep, chosen });
    this.points = sweep.points.filter((point) => point.value !== null);
    this.svg = drawn("svg", {
      class: "curve",
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      role: "img",
      "aria-label": this.spoken(),
    });
    const key = element(
      "p",
      { class: "curve-key" },
      element("i", { class: "dash of-time" }),
      ` time, ${this.unit.word} (${sweep.clock}) `,
      element("i", { class: "dash of-work" }),
      " work: times a vertex is processed",
      ...(sweep.own ? [element("i", { class: "dash of-controller" }), ` ◆ by itself: ${timeWords(sweep.own.time_ns)}`] : []),
    );
    this.root = element(
      "figure",
      { class: "curve-field" },
      key,
      this.svg,
      element("figcaption", { class: "muted" }, sweep.words),
    );
    this.place = -1;
    this.draw();
  }

  get unit() {
    return timeUnit(Math.max(...this.points.map((point) => point.time_ns)));
  }

  spoken() {
    const told = this.points.map(
      (point) => `${plainNumber(point.value)}: ${timeWords(point.time_ns)}, work ${point.work.toFixed(2)}`,
    );
    if (this.sweep.own) told.push(`steered by itself: ${timeWords(this.sweep.own.time_ns)}`);
    return `Time and work against ${this.sweep.knob}. ${told.join("; ")}.`;
  }

  x(value) {
    const all = [...this.points.map((point) => point.value), ...(this.sweep.own?.values ?? [])];
    const ends = [Math.min(...all), Math.max(...all)].map(Math.log);
    return SIDE + ((Math.log(value) - ends[0]) / (ends[1] - ends[0] || 1)) * (WIDE - 2 * SIDE);
  }

  heights(values) {
    const logs = values.map((value) => Math.log(Math.max(value, 1e-12)));
    const [low, high] = [Math.min(...logs), Math.max(...logs)];
    return (value) =>
      HIGH - FLOOR - ((Math.log(Math.max(value, 1e-12)) - low) / (high - low || 1)) * (HIGH - FLOOR - 24);
  }

  draw() {
    const base = HIGH - FLOOR + 8;
    const [times, works] = [this.points.map((point) => point.time_ns), this.points.map((point) => point.work)];
    const { own } = this.sweep;
    const [yTime, yWork] = [this.heights(own ? [...times, own.time_ns] : times), this.heights(works)];
    const parts = [drawn("path", { class: "axis", d: `M${SIDE - 10} 12V${base}H${WIDE - SIDE + 10}V12` })];
    for (const time of new Set([Math.min(...times), Math.max(...times)]))
      parts.push(label(timeNumber(time, this.unit), SIDE - 14, yTime(time) + 4, "end"));
    for (const work of new Set([Math.min(...works), Math.max(...works)]))
      parts.push(label(work.toFixed(2), WIDE - SIDE + 14, yWork(work) + 4, "start"));
    const path = (y, key) =>
      this.points
        .map((point, at) => `${at ? "L" : "M"}${this.x(point.value).toFixed(1)} ${y(point[key]).toFixed(1)}`)
        .join("");
    parts.push(
      drawn("path", { class: "line of-work", d: path(yWork, "work") }),
      drawn("path", { class: "line of-time strong", d: path(yTime, "time_ns") }),
    );
    if (own) {
      const [xs, y] = [own.values.map((value) => this.x(value)), yTime(own.time_ns)];
      const marks = xs.map((x) => `M${x} ${y - 5}l5 5l-5 5l-5 -5Z`).join("");
      parts.push(
        drawn("path", { class: "line of-controller", d: `M${Math.min(...xs)} ${y}H${Math.max(...xs)}` }),
        drawn("path", { class: "point of-controller", d: marks }),
      );
    }
    let free = -99;
    this.points.forEach((point, at) => {
      const x = this.x(point.value);
      const now = at === this.place;
      if (now) parts.push(drawn("line", { class: "cursor", x1: x, x2: x, y1: 12, y2: base }));
      parts.push(
        drawn("rect", { class: "point of-work", x: x - 3.5, y: yWork(point.work) - 3.5, width: 7, height: 7 }),
      );
      const dot = drawn("circle", {
        class: `point of-time ${now ? "now" : ""}`,
        cx: x,
        cy: yTime(point.time_ns),
        r: now ? 7 : 4.5,
      });
      const words = `${timeWords(point.time_ns)}, work ${point.work.toFixed(2)}`;
      dot.append(drawn("title", {}, `${this.sweep.knob} = ${plainNumber(point.value)}: ${words}`));
      const target = drawn("rect", { class: "target", x: x - 14, y: 8, width: 28, height: base - 8 });
      if (this.chosen) target.addEventListener("click", () => this.chosen(at));
      parts.push(dot, target);
      if (x - free > 42) {
        parts.push(label(short(point.value), x, base + 15));
        free = x;
      }
    });
    const name = [this.sweep.knob, this.sweep.unit].filter(Boolean).join(", ");
    parts.push(label(name, WIDE / 2, HIGH - 3));
    this.svg.replaceChildren(...parts);
  }

  show(place) {
    this.place = place;
    this.draw();
  }
}

export class SweepView {
  constructor(page) {
    this.page = page;
    this.views = new Map();
    this.points = page.sweep.points.filter((point) => point.value !== null);
    this.stops = [...this.points.keys()].filter((at) => this.points[at].run !== null);
    this.curve = new Curve(page.sweep, (place) => this.show(this.nearest(place)));
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: this.stops.length - 1,
      step: 1,
      class: "knob",
      "aria-label": page.sweep.knob,
    });
    this.slider.addEventListener("input", () => this.show(this.stops[Number(this.slider.value)]));
    this.value = element("output", { class: "readout" });
    this.words = element("p", { class: "summary", "aria-live": "polite" });
    this.field = element("div", {});
    const row = element(
      "div",
      { class: "knob-row" },
      element("label", {}, `${page.sweep.knob} `, this.slider),
      this.value,
    );
    this.root = element("div", { class: "sweep" }, row, this.words, this.field);
    const least = this.points.reduce((best, point, at) => (point.time_ns < this.points[best].time_ns ? at : best), 0);
    this.show(this.nearest(least));
  }

  get clock() {
    return this.view.clock;
  }

  /** Return the recorded run next to a place: not every point has one. */
  nearest(place) {
    return this.stops.reduce((best, at) => (Math.abs(at - place) < Math.abs(best - place) ? at : best));
  }

  show(place) {
    const point = this.points[place];
    const before = this.view;
    if (!this.views.has(place)) {
      const runs = runsOf(this.page, [point.run]);
      this.views.set(place, new RunsView(runs, { note: this.page.note, panels: PANELS }));
    }
    this.view = this.views.get(place);
    if (before && before !== this.view) {
      before.clock.pause();
      const share = before.clock.now / before.clock.duration;
      this.view.setWay(before.wayMenu?.value ?? "distance");
      this.view.clock.go(share * this.view.clock.duration);
    }
    this.view.beside.prepend(this.curve.root);
    this.field.replaceChildren(this.view.root);
    this.place = place;
    this.slider.value = this.stops.indexOf(place);
    const knob = `${this.page.sweep.knob} = ${plainNumber(point.value)}`;
    this.slider.setAttribute("aria-valuetext", knob);
    this.value.textContent = knob;
    this.words.textContent = `${timeWords(point.time_ns)} ${this.page.sweep.clock}, ${thousands(point.processed)} vertices processed: ${point.work.toFixed(2)} times each.${this.compared(point)}`;
    this.curve.show(place);
  }

  compared(point) {
    const least = Math.min(...this.points.map((one) => one.time_ns));
    const calm = Math.min(...this.points.map((one) => one.work));
    const best = point.time_ns === least ? " This is the fastest" : ` The fastest takes ${timeWords(least)}`;
    return `${best}${point.work === calm ? " This is the least work." : `; the least work is ${calm.toFixed(2)} times each.`}`.replace(
      "fastest This",
      "fastest. This",
    );
  }

  recolour() {
    this.curve.draw();
    this.view.recolour();
  }

  key(event) {
    if (event.target === this.slider) return false;
    return this.view.key(event);
  }
}
