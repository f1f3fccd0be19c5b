// Panels over time: buckets, Δ, parallelism, work. One x axis and one cursor for all.

import { css, heatIndex, heatTable } from "./colour.js";
import { colours, drawn, element, label } from "./elements.js";
import { lastAtOrBefore } from "./run.js";
import { niceCeiling, plainNumber, short, tickValues, timeUnit, timeWords } from "./words.js";

export const RUNS = ["a", "b"]; // what the lines of the runs are of: see "of-" in page.css
const LEFT = 44; // pixels for the numbers of the y axis
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 34;
const TALL = 150; // of a drawing with two lanes, to have room for all names
const MEAN_PIXELS = 3; // a rate is a mean over that many pixels
const RAISED = new Set([3, 6, 8]); // reasons that widen the buckets
const LOWERED = new Set([5]);

/** A panel: head with values at the cursor, a drawing, a sentence. Children say what is drawn. */
class Panel {
  constructor(runs, clock, title) {
    Object.assign(this, { runs, clock, title });
    this.values = element("span", { class: "values" });
    this.head = element("div", { class: "panel-head" }, element("h3", {}, title), this.values);
    this.caption = element("p", { class: "caption" });
    this.svg = drawn("svg", { class: "plot", role: "img", "aria-label": title });
    this.under = element("div", { class: "under-head" }, this.caption);
    this.root = element(
      "section",
      { class: "panel" },
      this.head,
      this.under,
      element("div", { class: "plot-field" }, this.svg),
    );
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.goTo(event);
    });
    this.svg.addEventListener("pointermove", (event) => this.dragged && this.goTo(event));
    this.svg.addEventListener("pointerup", () => (this.dragged = false));
    this.cursor = drawn("line", { class: "cursor" });
    new ResizeObserver(() => this.redraw()).observe(this.svg);
    clock.watch(() => this.showNow());
  }

  get modelled() {
    return this.runs.some((run) => run.clock === "modelled");
  }

  x(ns) {
    return LEFT + (ns / (this.clock.duration || 1)) * (this.width - LEFT - RIGHT);
  }

  y(share) {
    return TOP + (1 - share) * (this.height - TOP - BOTTOM);
  }

  timeAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
    return Math.min(Math.max(share, 0), 1) * this.clock.duration;
  }

  goTo(event) {
    this.clock.pause();
    this.clock.go(this.timeAt(event));
  }

  placeCursor() {
    const x = this.x(this.clock.now);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.cursor.setAttribute("y1", TOP - 4);
    this.cursor.setAttribute("y2", this.height - BOTTOM);
  }

  redraw() {
    if (!this.svg.clientWidth) return;
    this.width = this.svg.clientWidth;
    this.height = this.svg.clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.theme = colours(this.root);
    this.columns = Math.max(Math.round(this.width - LEFT - RIGHT), 20);
    this.svg.replaceChildren(...this.axisX(), ...this.draw(), this.cursor);
    this.showNow();
  }

  showNow() {
    if (!this.width) return;
    this.placeCursor();
    this.values.replaceChildren(
      ...this.valuesAt(this.clock.now).map(([letter, words, kind]) =>
        element(
          "span",
          { class: "value" },
          element("i", { class: `dash of-${kind}` }),
          letter ? `${letter} ${words}` : words,
        ),
      ),
    );
    this.svg.setAttribute(
      "aria-label",
      `${this.title} over time. At the cursor: ${this.valuesAt(this.clock.now)
        .map(([letter, words]) => `${letter} ${words}`)
        .join(", ")}`,
    );
  }

  axisX() {
    const unit = timeUnit(this.clock.duration);
    const word = this.runs.every((run) => run.clock === this.runs[0].clock) ? this.runs[0].clock : "A's clock";
    const base = this.height - BOTTOM;
    const ticks = tickValues(this.clock.duration * unit.factor).flatMap((value) => {
      const x = this.x(value / unit.factor);
      return [
        drawn("line", { class: "tick", x1: x, x2: x, y1: base, y2: base + 4 }),
        label(plainNumber(value), x, base + 15),
      ];
    });
    const name = label(`time, ${unit.word} (${word})`, (LEFT + this.width - RIGHT) / 2, base + 29);
    const axis = drawn("path", { class: "axis", d: `M${LEFT} ${TOP - 4} V${base} H${this.width - RIGHT}` });
    return [axis, ...(this.modelled ? [this.hatch(base)] : []), ...ticks, name];
  }

  /** Return the strip below an axis of modelled time. */
  hatch(base) {
    let d = "";
    for (let x = LEFT; x + 4 <= this.width - RIGHT; x += 6) d += `M${x} ${base + 4}l4 -3`;
    return drawn("path", { class: "hatch", d });
  }

  numberY(share, words) {
    const y = this.y(share);
    return [
      drawn("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }),
      label(words, LEFT - 6, y + 4, "end"),
    ];
  }

  numbersY(top) {
    return tickValues(top, this.height < 120 ? 2 : 4).flatMap((value) => this.numberY(value / top, short(value)));
  }

  /** Return a line through points [x ns, share of the height], of a kind, with a run's letter. */
  curve(points, kind, letter = "") {
    if (!points.length) return [];
    const d = points
      .map(
        ([ns, share], at) =>
          `${at ? "L" : "M"}${this.x(ns).toFixed(1)} ${this.y(Math.min(Math.max(share, 0), 1)).toFixed(1)}`,
      )
      .join("");
    const made = [drawn("path", { class: `line of-${kind}`, d })];
    if (letter) {
      const [ns, share] = points.reduce((best, one) => (one[1] > best[1] ? one : best));
      const x = Math.min(Math.max(this.x(ns), LEFT + 8), this.width - RIGHT - 8);
      made.push(label(letter, x, Math.max(this.y(share) - 5, TOP + 8), "middle", `letter-mark of-${kind}`));
    }
    return made;
  }

  /** Return a column of a run on the shown clock: at most two points a pixel, extremes kept. */
  column(run, values) {
    const points = [];
    const count = run.times.length;
    const groups = Math.min(count, this.columns);
    for (let group = 0; group < groups; group += 1) {
      const [first, last] = [Math.floor((group * count) / groups), Math.floor(((group + 1) * count) / groups)];
      let [low, high] = [first, first];
      for (let at = first; at < last; at += 1) {
        if (values[at] < values[low]) low = at;
        if (values[at] > values[high]) high = at;
      }
      for (const at of low === high ? [low] : [Math.min(low, high), Math.max(low, high)])
        points.push([run.toA(run.times[at]), values[at]]);
    }
    return points;
  }
}

/** Δ, the bucket width, on a logarithmic scale; changes are marked with their direction. */
export class DeltaPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Δ");
    this.caption.textContent = "Bucket width Δ, weight units";
  }

  draw() {
    const shown = this.runs.filter((run) => run.bucketed);
    const all = shown.flatMap((run) => Array.from(run.columns.delta)).filter((value) => value > 0 && value < Infinity);
    const high = Math.log10(largest(all) || 1) + 0.35;
    const low = -Math.log10(largest(all.map((value) => 1 / value)) || 1) - 0.35;
    const share = (value) => (Math.log10(value) - low) / (high - low);
    const found = [];
    const digits = high - low > 2 ? [1] : [1, 2, 5];
    for (let power = Math.floor(low); power <= high; power += 1) {
      const ticks = digits.map((digit) => digit * 10 ** power).filter((value) => share(value) > 0 && share(value) < 1);
      for (const value of ticks) found.push(...this.numberY(share(value), short(value)));
    }
    for (const run of shown) {
      const place = this.runs.indexOf(run);
      const points = [];
      const marks = [];
      const { delta, reason } = run.columns;
      for (let at = 0; at < run.times.length; at += 1) {
        if (at && delta[at] === delta[at - 1]) continue;
        const ns = run.toA(run.times[at]);
        if (at) points.push([ns, share(delta[at - 1])]);
        points.push([ns, share(delta[at])]);
        if (at) marks.push(this.mark(run, ns, share(delta[at]), delta[at] > delta[at - 1], reason[at], place));
      }
      points.push([run.toA(run.time_ns), share(delta[run.times.length - 1])]);
      found.push(...this.curve(points, RUNS[place], run.letter), ...marks);
    }
    return found;
  }

  mark(run, ns, share, rose, reason, place) {
    const [x, y] = [this.x(ns), this.y(share)];
    const up = RAISED.has(reason) || (rose && !LOWERED.has(reason));
    const d =
      reason === 7 ? `M${x} ${y - 5}l5 5l-5 5l-5 -5Z` : up ? `M${x} ${y - 5}l5 9h-10Z` : `M${x} ${y + 5}l5 -9h-10Z`;
    const made = drawn("path", {
      class: `change ${reason === 7 ? "by-hand" : up ? "raised" : "lowered"} ${place ? "hollow" : ""}`,
      d,
    });
    const when = timeWords(run.fromA(ns), run.time_ns);
    made.append(drawn("title", {}, `${run.letter} ${when}: ${run.reasons[String(reason)] ?? ""}`.trim()));
    return made;
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => [
      run.letter,
      run.bucketed ? `Δ ${plainNumber(Number(run.value("delta", Math.max(run.fromA(ns), 0)).toPrecision(6)))}` : "no Δ",
      RUNS[at],
    ]);
  }
}

/** Work that is out with the workers, and the band that the controller aims for. */
export class ParallelismPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Parallelism");
    const kinds = new Set(runs.map((run) => run.parallelism));
    this.caption.textContent =
      kinds.size > 1 ? `Edges ${runs[0].parallelism} (A), ${runs[1].parallelism} (B)` : runs[0].parallelismTitle();
  }

  draw() {
    const peaks = this.runs.map((run) => largest(run.columns.assigned));
    const band = largest(this.runs[0].columns.high);
    const top = niceCeiling(1.04 * Math.max(...peaks, band));
    const found = [];
    if (band > 0) found.push(this.band(this.runs[0], top));
    found.push(...this.numbersY(top));
    this.runs.forEach((run, at) => {
      const points = this.column(run, run.columns.assigned).map(([ns, value]) => [ns, value / top]);
      found.push(...this.curve(points, RUNS[at], run.letter));
    });
    return found;
  }

  band(run, top) {
    const { low, high } = run.columns;
    const upper = [];
    const lower = [];
    for (let at = 0; at < run.times.length; at += 1) {
      if (at && at < run.times.length - 1 && low[at] === low[at - 1] && high[at] === high[at - 1]) continue;
      const x = this.x(run.times[at]).toFixed(1);
      if (at) {
        upper.push(`L${x} ${this.y(high[at - 1] / top).toFixed(1)}`);
        lower.unshift(`L${x} ${this.y(low[at - 1] / top).toFixed(1)}`);
      }
      upper.push(`L${x} ${this.y(high[at] / top).toFixed(1)}`);
      lower.unshift(`L${x} ${this.y(low[at] / top).toFixed(1)}`);
    }
    return drawn("path", { class: "band", d: `M${[...upper, ...lower].join("").slice(1)}Z` });
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => {
      const own = run.fromA(ns);
      return [run.letter, own > run.time_ns ? "0" : short(run.value("assigned", own) || 0), RUNS[at]];
    });
  }
}

const COUNTERS = { processed: "work", relaxed: "relaxed", improved: "improved" };

/** Vertices processed, edges relaxed, distances improved: rates, of two runs the vertices alone. */
export class WorkPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Work");
    this.caption.textContent = runs.length > 1 ? "Vertices processed per second" : "Work per second";
    this.root.append(element("p", { class: "sentence" }, this.efficiency()));
  }

  efficiency() {
    const share = (run) => (run.reached / Math.max(run.columns.processed[run.times.length - 1], 1)).toFixed(2);
    const shares = this.runs.map((run) => `${run.letter} ${share(run)}`.trim());
    return `Work efficiency ${shares.join(", ")} (settled over processed vertices)`;
  }

  /** Return [run, column, kind] of each line. */
  get shapes() {
    if (this.runs.length > 1) return this.runs.map((run, at) => [run, "processed", RUNS[at]]);
    return Object.entries(COUNTERS).map(([name, kind]) => [this.runs[0], name, kind]);
  }

  draw() {
    const curves = this.shapes.map(([run, name]) => this.shape(run, run.columns[name]));
    const peaks = curves.map((points) => largest(points.map(([, value]) => value)));
    const top = niceCeiling(1.04 * Math.max(1e-9, ...peaks));
    const lines = this.shapes.flatMap(([run, , kind], at) => {
      const points = curves[at].map(([ns, value]) => [ns, value / top]);
      return this.curve(points, kind, run.letter);
    });
    return [...this.numbersY(top), ...lines];
  }

  shape(run, values) {
    const count = Math.max(Math.min(run.times.length, Math.round(this.columns / MEAN_PIXELS)), 8);
    const end = run.time_ns || 1;
    const total = (ns) => between(run.times, values, ns);
    const points = [];
    for (let at = 0; at < count; at += 1) {
      const [from, to] = [(at * end) / count, ((at + 1) * end) / count];
      const [shownFrom, shownTo] = [run.toA(from), run.toA(to)];
      const rate = shownTo > shownFrom ? (1e9 * (total(to) - total(from))) / (shownTo - shownFrom) : 0;
      points.push([shownFrom, rate], [shownTo, rate]);
    }
    return points;
  }

  valuesAt(ns) {
    return this.shapes.map(([run, name, kind]) => {
      const rate = rateAt(run.times, run.columns[name], run.fromA(ns));
      return [run.letter || name, short(rate), kind];
    });
  }
}

/** How many vertices wait in each bucket, over time. */
export class BucketsPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Buckets");
    this.caption.textContent = "Vertices waiting, head bucket below";
  }

  draw() {
    const peak = Math.max(1, ...this.runs.map((run) => run.peak));
    const table = heatTable(this.theme, peak);
    const lanes = this.runs.length;
    const found = [];
    this.runs.forEach((run, at) => {
      const [bottom, top] = lanes > 1 ? [at ? 0 : 0.53, at ? 0.47 : 1] : [0, 1];
      found.push(this.lane(run, table, bottom, top), ...this.rowNames(run, bottom, top));
      if (run.letter)
        found.push(label(run.letter, this.width - RIGHT - 8, this.y(top) + 12, "middle", `letter-mark of-${RUNS[at]}`));
    });
    return found;
  }

  lane(run, table, bottom, top) {
    const canvas = document.createElement("canvas");
    const columns = this.columns;
    canvas.width = columns;
    canvas.height = run.rows;
    const image = new ImageData(columns, run.rows);
    const count = run.times.length;
    let place = -1;
    for (let column = 0; column < columns; column += 1) {
      const [from, to] = [column, column + 1].map((at) => run.fromA((at * this.clock.duration) / columns));
      const before = Math.max(place, 0);
      while (place + 1 < count && run.times[place + 1] < to) place += 1;
      if (from > run.time_ns || place < 0) continue;
      const first = Math.min(before + 1, place);
      for (let row = 0; row < run.rows; row += 1) {
        let most = 0;
        for (let at = first; at <= place; at += 1) most = Math.max(most, run.occupancy[row * count + at]);
        image.data.set([...table[heatIndex(most)], 255], 4 * ((run.rows - 1 - row) * columns + column));
      }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return drawn("image", {
      href: canvas.toDataURL(),
      x: LEFT,
      y: this.y(top),
      width: this.width - LEFT - RIGHT,
      height: this.y(bottom) - this.y(top),
      preserveAspectRatio: "none",
      class: "heat",
    });
  }

  rowNames(run, bottom, top) {
    const at = (row) => bottom + ((row + 0.5) / run.rows) * (top - bottom);
    const low = this.runs.length > 1 && this.height < TALL; // no room for more than the head
    const ring = low
      ? [[run.rows / 2, "head"]]
      : [
          [0, "head"],
          [run.rows - 1, "tail"],
        ];
    const names = run.piles.length ? run.piles.map((name, row) => [row, name]) : ring;
    return names.map(([row, name]) => label(name, LEFT - 6, this.y(at(row)) + 4, "end"));
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => {
      const own = run.fromA(ns);
      const total = own > run.time_ns ? 0 : run.waiting(own).reduce((sum, one) => sum + one, 0);
      return [run.letter, `${short(total)} waiting`, RUNS[at]];
    });
  }

  showNow() {
    super.showNow();
    if (!this.width) return;
    const peak = Math.max(1, ...this.runs.map((run) => run.peak));
    this.values.append(this.key ?? (this.key = element("span", { class: "key" })));
    if (this.keyTheme === this.theme) return;
    this.keyTheme = this.theme;
    const table = heatTable(this.theme, peak);
    const top = heatIndex(peak);
    const cells = Array.from({ length: 24 }, (_, at) =>
      drawn("rect", {
        x: at * 2,
        y: 0,
        width: 2.2,
        height: 8,
        fill: css(table[1 + Math.round((at / 23) * (Math.max(top, 2) - 1))]),
      }),
    );
    const ramp = drawn("svg", { viewBox: "0 0 48 8", class: "heat-key" }, ...cells);
    this.key.replaceChildren("1 ", ramp, ` ${short(peak)}`);
  }
}

/** Return the rate between the two samples round a moment, per second: the width of the plot does not count. */
function rateAt(times, values, ns) {
  const at = Math.min(lastAtOrBefore(times, ns), times.length - 2);
  if (at < 0 || ns > times[times.length - 1]) return 0;
  return (1e9 * (values[at + 1] - values[at])) / (times[at + 1] - times[at] || 1);
}

/** Return the total at a moment, steady between samples. */
function between(times, values, ns) {
  const at = lastAtOrBefore(times, ns);
  if (at < 0) return values[0];
  if (at >= times.length - 1) return values[times.length - 1];
  const share = (ns - times[at]) / (times[at + 1] - times[at] || 1);
  return values[at] + share * (values[at + 1] - values[at]);
}

function largest(values) {
  return values.reduce((most, one) => Math.max(most, one), 0);
}
