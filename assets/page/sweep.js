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
const BASE = HIGH - FLOOR + 8;

/** The curve of a sweep: time and work against the swept value, all axes logarithmic. */
class Curve {
  /** points: {value, time_ns, work} */
  constructor(sweep, points) {
    Object.assign(this, { sweep, points });
    this.times = points.map((point) => point.time_ns);
    this.works = points.map((point) => point.work);
    this.unit = timeUnit(Math.max(...this.times));
    const box = `0 0 ${WIDE} ${HIGH}`;
    this.svg = drawn("svg", { class: "curve", viewBox: box, role: "img", "aria-label": this.spoken() });
    const { own } = sweep;
    const key = element(
      "p",
      { class: "curve-key" },
      element("i", { class: "dash of-time" }),
      ` time, ${this.unit.word} (${sweep.clock}) `,
      element("i", { class: "dash of-work" }),
      " work: times a vertex is processed",
      own && element("i", { class: "dash of-controller" }),
      own && ` ◆ by itself: ${timeWords(own.time_ns)}`,
    );
    const words = element("figcaption", { class: "muted" }, sweep.words);
    this.root = element("figure", { class: "curve-field" }, key, this.svg, words);
  }

  spoken() {
    const parts = this.points.map(
      (point) => `${plainNumber(point.value)}: ${timeWords(point.time_ns)}, work ${point.work.toFixed(2)}`,
    );
    if (this.sweep.own) parts.push(`steered by itself: ${timeWords(this.sweep.own.time_ns)}`);
    return `Time and work against ${this.sweep.knob}. ${parts.join("; ")}.`;
  }

  /** Draw, with the point at `place` marked. */
  show(place) {
    this.place = place;
    const { own, knob, unit } = this.sweep;
    const values = this.points.map((point) => point.value);
    const x = scale([...values, ...(own?.values ?? [])], SIDE, WIDE - SIDE);
    const yTime = scale(own ? [...this.times, own.time_ns] : this.times, HIGH - FLOOR, 24);
    const yWork = scale(this.works, HIGH - FLOOR, 24);
    const line = (y, heights) => `M${heights.map((height, at) => `${x(values[at])} ${y(height)}`).join("L")}`;
    const now = x(values[place]);
    const parts = [
      drawn("path", { class: "axis", d: `M${SIDE - 10} 12V${BASE}H${WIDE - SIDE + 10}V12` }),
      ...ends(this.times).map((time) => label(timeNumber(time, this.unit), SIDE - 14, yTime(time) + 4, "end")),
      ...ends(this.works).map((work) => label(work.toFixed(2), WIDE - SIDE + 14, yWork(work) + 4, "start")),
      drawn("line", { class: "cursor", x1: now, x2: now, y1: 12, y2: BASE }),
      drawn("path", { class: "line of-work", d: line(yWork, this.works) }),
      drawn("path", { class: "line of-time strong", d: line(yTime, this.times) }),
    ];
    if (own) {
      const marks = own.values.map((value) => `M${x(value)} ${yTime(own.time_ns) - 5}l5 5l-5 5l-5 -5Z`);
      parts.push(drawn("path", { class: "point of-controller", d: marks.join("") }));
    }
    let free = 0;
    values.forEach((value, at) => {
      const y = yTime(this.times[at]);
      parts.push(drawn("circle", { class: "point of-time", cx: x(value), cy: y, r: at === place ? 7 : 4.5 }));
      if (x(value) < free) return;
      parts.push(label(short(value), x(value), BASE + 15));
      free = x(value) + 42;
    });
    parts.push(label([knob, unit].filter(Boolean).join(", "), WIDE / 2, HIGH - 3));
    this.svg.replaceChildren(...parts);
  }
}

export class SweepView {
  constructor(page) {
    this.page = page;
    this.views = new Map();
    const points = page.sweep.points;
    this.recorded = points.filter((point) => point.run !== null);
    this.curve = new Curve(page.sweep, points);
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: this.recorded.length - 1,
      step: 1,
      class: "knob",
      "aria-label": page.sweep.knob,
    });
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.value = element("output", { class: "readout" });
    this.words = element("p", { class: "summary", "aria-live": "polite" });
    this.field = element("div", {});
    const knob = element("label", {}, `${page.sweep.knob} `, this.slider);
    const row = element("div", { class: "knob-row" }, knob, this.value);
    this.root = element("div", { class: "sweep" }, row, this.words, this.field);
    const times = this.recorded.map((point) => point.time_ns);
    this.show(times.indexOf(Math.min(...times)));
  }

  get clock() {
    return this.view.clock;
  }

  /** Show the recorded run at a place of the slider. */
  show(place) {
    const point = this.recorded[place];
    const before = this.view;
    if (!this.views.has(place)) {
      const options = { note: this.page.note, panels: PANELS };
      this.views.set(place, new RunsView(runsOf(this.page, [point.run]), options));
    }
    this.view = this.views.get(place);
    if (before && before !== this.view) {
      this.view.setWay(before.wayMenu.value);
      this.view.clock.jump((before.clock.now / before.clock.duration) * this.view.clock.duration);
      before.clock.jump(before.clock.now);
    }
    this.view.beside.prepend(this.curve.root);
    this.field.replaceChildren(this.view.root);
    this.slider.value = place;
    const knob = `${this.page.sweep.knob} = ${plainNumber(point.value)}`;
    this.slider.setAttribute("aria-valuetext", knob);
    this.value.textContent = knob;
    const work = `${thousands(point.processed)} vertices processed: ${point.work.toFixed(2)} times each.`;
    this.words.textContent = `${timeWords(point.time_ns)} ${this.page.sweep.clock}, ${work}`;
    this.curve.show(this.page.sweep.points.indexOf(point));
  }

  recolour() {
    this.view.recolour();
  }

  key(event) {
    if (event.target === this.slider) return false;
    return this.view.key(event);
  }
}

/** Return a logarithmic scale: the least value to `first`, the largest to `last`. */
function scale(values, first, last) {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(log);
  return (value) => first + ((log(value) - low) / (high - low || 1)) * (last - first);
}

function log(value) {
  return Math.log(Math.max(value, 1e-12));
}

/** Return the least and the largest value, one if they are equal. */
function ends(values) {
  return [...new Set([Math.min(...values), Math.max(...values)])];
}
