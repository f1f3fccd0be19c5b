// Panels over time: buckets, Δ, parallelism, work. One x axis and one cursor for all.

import { css, heatIndex, heatTable } from "./colour.js";
import { colours, drawn, element, label } from "./elements.js";
import { lastAtOrBefore } from "./run.js";
import { niceCeiling, plainNumber, short, tickValues, timeUnit, timeWords } from "./words.js";

const RUNS = ["a", "b"]; // the kinds of the runs' lines: "of-a", "of-b" in page.css
const LEFT = 58; // pixels for the names and numbers of the y axis
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 34;
const MEAN_PIXELS = 3; // a rate is a mean over that many pixels
const BY_HAND = 7; // the reason of a Δ that somebody set

/** A panel: head with values at the cursor, a caption, a drawing. Children say what is drawn. */
class Panel {
  constructor(runs, clock, title, caption) {
    Object.assign(this, { runs, clock, title });
    this.values = element("span", { class: "values" });
    this.svg = drawn("svg", { class: "plot", role: "img", "aria-label": title });
    this.root = element(
      "section",
      { class: "panel" },
      element("div", { class: "panel-head" }, element("h3", {}, title), this.values),
      element("p", { class: "caption" }, caption),
      this.svg,
    );
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.goTo(event);
    });
    this.svg.addEventListener("pointermove", (event) => event.buttons && this.goTo(event));
    this.cursor = drawn("line", { class: "cursor" });
    new ResizeObserver(() => this.redraw()).observe(this.svg);
    clock.watch(() => this.showNow());
  }

  x(ns) {
    return LEFT + (ns / (this.clock.duration || 1)) * (this.width - LEFT - RIGHT);
  }

  y(share) {
    return TOP + (1 - share) * (this.height - TOP - BOTTOM);
  }

  goTo(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
    this.clock.jump(share * this.clock.duration);
  }

  redraw() {
    if (!this.svg.clientWidth) return;
    this.width = this.svg.clientWidth;
    this.height = this.svg.clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren(...this.axisX(), ...this.draw(), this.cursor);
    this.showNow();
  }

  showNow() {
    if (!this.width) return;
    const x = this.x(this.clock.now);
    const ends = { x1: x, x2: x, y1: TOP - 4, y2: this.height - BOTTOM };
    for (const [name, value] of Object.entries(ends)) this.cursor.setAttribute(name, value);
    const values = this.valuesAt(this.clock.now);
    this.values.replaceChildren(
      ...values.map(([words, kind]) =>
        element("span", { class: "value" }, element("i", { class: `dash of-${kind}` }), words),
      ),
    );
    this.svg.setAttribute("aria-label", `${this.title} over time. At the cursor: ${this.spoken()}`);
  }

  spoken() {
    return this.valuesAt(this.clock.now)
      .map(([words]) => words)
      .join(", ");
  }

  axisX() {
    const unit = timeUnit(this.clock.duration);
    const base = this.height - BOTTOM;
    const ticks = tickValues(this.clock.duration * unit.factor).flatMap((value) => {
      const x = this.x(value / unit.factor);
      return [
        drawn("line", { class: "axis", x1: x, x2: x, y1: base, y2: base + 4 }),
        label(plainNumber(value), x, base + 15),
      ];
    });
    const name = label(`time, ${unit.word} (${this.runs[0].clock})`, this.x(this.clock.duration / 2), base + 29);
    return [drawn("path", { class: "axis", d: `M${LEFT} ${TOP - 4} V${base} H${this.width - RIGHT}` }), ...ticks, name];
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

  /** Return points [ns, share of the height] as the data of a path. */
  path(points) {
    return points.map(([ns, share]) => `${this.x(ns).toFixed(1)} ${this.y(share).toFixed(1)}`).join("L");
  }

  /** Return a line through points, of a kind, with a run's letter at its highest point. */
  curve(points, kind, letter = "") {
    const line = drawn("path", { class: `line of-${kind}`, d: `M${this.path(points)}` });
    if (!letter) return [line];
    const [ns, share] = points.reduce((best, one) => (one[1] > best[1] ? one : best));
    const x = Math.min(Math.max(this.x(ns), LEFT + 8), this.width - RIGHT - 8);
    return [line, label(letter, x, Math.max(this.y(share) - 5, TOP + 8), "middle", `letter-mark of-${kind}`)];
  }
}

/** Δ, the bucket width, on a logarithmic scale; changes are marked with their direction. */
export class DeltaPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Δ", "Bucket width Δ, weight units");
  }

  draw() {
    const shown = this.runs.filter((run) => run.bucketed);
    const logs = shown.flatMap((run) => Array.from(run.columns.delta, Math.log10)).filter(Number.isFinite);
    const high = largest(logs, -Infinity) + 0.35;
    const low = -largest(logs.map((value) => -value), -Infinity) - 0.35;
    const share = (value) => (Math.log10(value) - low) / (high - low);
    const parts = [];
    const digits = high - low > 2 ? [1] : [1, 2, 5];
    for (let power = Math.floor(low); power <= high; power += 1) {
      const ticks = digits.map((digit) => digit * 10 ** power).filter((value) => share(value) > 0 && share(value) < 1);
      for (const value of ticks) parts.push(...this.numberY(share(value), short(value)));
    }
    for (const run of shown) parts.push(...this.steps(run, share));
    return parts;
  }

  /** Return a run's Δ as steps, with a mark at each change. */
  steps(run, share) {
    const { delta, reason } = run.columns;
    const points = [[run.times[0], share(delta[0])]];
    const marks = [];
    for (let at = 1; at < run.times.length; at += 1) {
      if (delta[at] === delta[at - 1]) continue;
      const ns = run.times[at];
      points.push([ns, share(delta[at - 1])], [ns, share(delta[at])]);
      marks.push(this.mark(run, ns, share(delta[at]), delta[at] > delta[at - 1], reason[at]));
    }
    points.push([run.time_ns, share(delta[run.times.length - 1])]);
    return [...this.curve(points, RUNS[this.runs.indexOf(run)], run.letter), ...marks];
  }

  mark(run, ns, share, rose, reason) {
    const [x, y] = [this.x(ns), this.y(share)];
    const kind = reason === BY_HAND ? "by-hand" : rose ? "raised" : "lowered";
    const shape = { "by-hand": `v-5l5 5l-5 5l-5 -5Z`, raised: `v-5l5 9h-10Z`, lowered: `v5l5 -9h-10Z` }[kind];
    const mark = drawn("path", { class: `change ${kind} ${run.letter}`, d: `M${x} ${y}${shape}` });
    const words = `${run.letter} ${timeWords(ns, run.time_ns)}: ${run.reasons[String(reason)] ?? ""}`;
    mark.append(drawn("title", {}, words.trim()));
    return mark;
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => {
      const delta = run.bucketed ? `Δ ${plainNumber(run.value("delta", ns))}` : "no Δ";
      return [`${run.letter} ${delta}`, RUNS[at]];
    });
  }
}

/** Work that is out with the workers, and the band that the controller aims for. */
export class ParallelismPanel extends Panel {
  constructor(runs, clock) {
    const names = runs.map((run) => `${run.parallelism} ${run.letter && `(${run.letter})`}`.trim());
    const same = runs.every((run) => run.parallelism === runs[0].parallelism);
    super(runs, clock, "Parallelism", `Edges ${same ? runs[0].parallelism : names.join(", ")}`);
  }

  draw() {
    const band = this.runs[0].columns;
    const peaks = this.runs.map((run) => largest(run.columns.assigned));
    const top = niceCeiling(1.04 * Math.max(...peaks, largest(band.high)));
    const points = (run, values) => Array.from(values, (value, at) => [run.times[at], value / top]);
    const parts = [];
    if (largest(band.high) > 0) {
      const edges = [...points(this.runs[0], band.high), ...points(this.runs[0], band.low).reverse()];
      parts.push(drawn("path", { class: "band", d: `M${this.path(edges)}Z` }));
    }
    parts.push(...this.numbersY(top));
    this.runs.forEach((run, at) => {
      parts.push(...this.curve(points(run, run.columns.assigned), RUNS[at], run.letter));
    });
    return parts;
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => {
      const value = ns > run.time_ns ? 0 : run.value("assigned", ns) || 0;
      return [`${run.letter} ${short(value)}`, RUNS[at]];
    });
  }
}

/** Vertices processed, edges relaxed, distances improved: rates, of two runs the vertices alone. */
export class WorkPanel extends Panel {
  constructor(runs, clock) {
    super(runs, clock, "Work", runs.length > 1 ? "Vertices processed per second" : "Work per second");
  }

  /** Return [run, column, kind, name] of each line. */
  get lines() {
    if (this.runs.length > 1) return this.runs.map((run, at) => [run, "processed", RUNS[at], run.letter]);
    const kinds = { processed: "work", relaxed: "relaxed", improved: "improved" };
    return Object.entries(kinds).map(([name, kind]) => [this.runs[0], name, kind, name]);
  }

  draw() {
    const curves = this.lines.map(([run, column]) => this.rates(run, run.columns[column]));
    const top = niceCeiling(1.04 * largest(curves.flat().map(([, rate]) => rate), 1e-9));
    const drawnLines = this.lines.flatMap(([run, , kind], at) => {
      const points = curves[at].map(([ns, rate]) => [ns, rate / top]);
      return this.curve(points, kind, run.letter);
    });
    return [...this.numbersY(top), ...drawnLines];
  }

  /** Return the rate of a rising column as steps. */
  rates(run, values) {
    const room = (this.width - LEFT - RIGHT) / MEAN_PIXELS;
    const count = Math.max(Math.min(run.times.length, Math.round(room)), 8);
    const step = (run.time_ns || 1) / count;
    const points = [];
    for (let at = 0; at < count; at += 1) {
      const [from, to] = [at * step, (at + 1) * step];
      const rate = (1e9 * (totalAt(run.times, values, to) - totalAt(run.times, values, from))) / step;
      points.push([from, rate], [to, rate]);
    }
    return points;
  }

  valuesAt(ns) {
    return this.lines.map(([run, column, kind, name]) => {
      return [`${name} ${short(rateAt(run.times, run.columns[column], ns))}`, kind];
    });
  }
}

/** How many vertices wait in each bucket, over time. */
export class BucketsPanel extends Panel {
  constructor(runs, clock) {
    const peak = Math.max(1, ...runs.map((run) => run.peak));
    super(runs, clock, "Buckets", `Vertices waiting, head bucket below, strongest colour: ${short(peak)}`);
    this.peak = peak;
  }

  draw() {
    const table = heatTable(colours(this.root), this.peak);
    const lanes = this.runs.length;
    return this.runs.flatMap((run, at) => {
      const bottom = (lanes - 1 - at) / lanes;
      const top = bottom + (lanes > 1 ? 0.47 : 1);
      const right = this.width - RIGHT - 8;
      const letter = label(run.letter, right, this.y(top) + 12, "middle", `letter-mark of-${RUNS[at]}`);
      return [this.lane(run, table, bottom, top), ...this.rowNames(run, bottom, top), letter];
    });
  }

  /** Return the picture of a run's buckets: a column shows the most of each between two pixels. */
  lane(run, table, bottom, top) {
    const columns = Math.max(Math.round(this.width - LEFT - RIGHT), 20);
    const image = new ImageData(columns, run.rows);
    const count = run.times.length;
    for (let column = 0; column < columns; column += 1) {
      const [from, to] = [column, column + 1].map((at) => (at * this.clock.duration) / columns);
      const last = lastAtOrBefore(run.times, to);
      if (from > run.time_ns || last < 0) continue;
      const first = Math.min(Math.max(lastAtOrBefore(run.times, from), 0) + 1, last);
      for (let row = 0; row < run.rows; row += 1) {
        const most = largest(run.occupancy.subarray(row * count + first, row * count + last + 1));
        image.data.set([...table[heatIndex(most)], 255], 4 * ((run.rows - 1 - row) * columns + column));
      }
    }
    const canvas = element("canvas", { width: columns, height: run.rows });
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
    const names = run.piles.length ? [...run.piles.entries()] : [[this.runs.length > 1 ? run.rows / 2 : 0, "head"]];
    return names.map(([row, name]) => {
      const share = bottom + ((row + 0.5) / run.rows) * (top - bottom);
      return label(name, LEFT - 6, this.y(share) + 4, "end");
    });
  }

  valuesAt(ns) {
    return this.runs.map((run, at) => [`${run.letter} ${short(run.waiting(ns))} waiting`, RUNS[at]]);
  }
}

/** Return the rate between the two samples round a moment, per second. */
function rateAt(times, values, ns) {
  const at = Math.min(lastAtOrBefore(times, ns), times.length - 2);
  if (at < 0 || ns > times[times.length - 1]) return 0;
  return (1e9 * (values[at + 1] - values[at])) / (times[at + 1] - times[at] || 1);
}

/** Return a total at a moment, rising evenly between samples. */
function totalAt(times, values, ns) {
  const at = lastAtOrBefore(times, ns);
  if (at < 0) return values[0];
  if (at >= times.length - 1) return values[times.length - 1];
  const share = (ns - times[at]) / (times[at + 1] - times[at] || 1);
  return values[at] + share * (values[at + 1] - values[at]);
}

function largest(values, least = 0) {
  return values.reduce((most, one) => Math.max(most, one), least);
}
