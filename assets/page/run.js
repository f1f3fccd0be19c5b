// One run as the page knows it: samples and vertices at a moment, in numbers and in words.

import { counted, percent, plainNumber, short, thousands, timeWords } from "./words.js";

const LATE = 4294967295; // ns: a time that did not happen

export class Run {
  constructor(tree, graph, letter = "") {
    Object.assign(this, tree);
    this.graph = graph;
    this.letter = letter;
    this.times = tree.columns.t;
    if (this.vertices) {
      this.first = times(this.vertices.first);
      this.last = times(this.vertices.last);
    }
    this.laid = "time";
    this.toA = (ns) => ns; // this run's times on the clock that is shown, and back
    this.fromA = (ns) => ns;
  }

  /** Lay this run's clock upon another by knots {a, b}, both rising; beyond them time passes alike. how: "time"... */
  layOn(knots, how) {
    Object.assign(this, { knots, laid: how });
    this.toA = (ns) => bent(ns, knots.b, knots.a);
    this.fromA = (ns) => bent(ns, knots.a, knots.b);
  }

  /** Return the place of the last sample at or before a moment, -1 before the first. */
  at(ns) {
    return lastAtOrBefore(this.times, ns);
  }

  /** Return a column's value at a moment, NaN before the first sample. */
  value(column, ns) {
    const place = this.at(ns);
    return place < 0 ? NaN : this.columns[column][place];
  }

  /** Return how many vertices wait in each row at a moment, head or first pile first. */
  waiting(ns) {
    const place = Math.max(this.at(ns), 0);
    const found = new Array(this.rows);
    for (let row = 0; row < this.rows; row += 1) found[row] = this.occupancy[row * this.times.length + place];
    return found;
  }

  /** Return where the times rise at which something changed: "sample" or "mark" (a change of Δ). */
  stops(kind) {
    if (kind === "sample" || !this.bucketed) return this.times;
    const delta = this.columns.delta;
    return this.times.filter(
      (_, place) => place === 0 || delta[place] !== delta[place - 1] || place === this.times.length - 1,
    );
  }

  /** Return how much of the vertices drawn was reached by a moment, 0..1; NaN where nobody knows. */
  reachedShare(ns) {
    if (!this.first) return NaN;
    let count = 0;
    let known = 0;
    for (let vertex = 0; vertex < this.first.length; vertex += 1) {
      if (this.first[vertex] < Infinity) {
        known += 1;
        if (this.first[vertex] <= ns) count += 1;
      }
    }
    return known ? count / known : 0;
  }

  /** Return what is known of a vertex at a moment. */
  stateOf(vertex, ns) {
    if (this.vertices.dist[vertex] < 0) return "unreached";
    if (!this.first) return "known";
    if (this.first[vertex] > ns) return "waiting";
    return this.last[vertex] > ns ? "tentative" : "settled";
  }

  /** Return "vertex 17 · distance 42 · bucket 3 · processed 2 times", as far as known. */
  vertexWords(vertex, ns) {
    const words = [`vertex ${nameOf(this.graph, vertex)}`];
    if (!this.vertices) return words[0];
    const state = this.stateOf(vertex, ns);
    if (state === "unreached") return `${words[0]} · unreached`;
    const value = this.vertices.dist[vertex];
    const ended = ns >= this.time_ns;
    const now = timeWords(Math.max(ns, 0), this.time_ns);
    if (state === "waiting" || state === "tentative") {
      words.push(`${state === "waiting" ? "not reached yet" : "tentative"} at ${now}`);
      words.push(`final distance ${plainNumber(value)}`);
    } else {
      words.push(`distance ${plainNumber(value)}`);
      if (state === "settled" && !ended) words.push(`settled at ${timeWords(this.last[vertex], this.time_ns)}`);
    }
    const delta = this.value("delta", Math.max(ns, 0));
    if (this.bucketed && delta > 0 && state !== "waiting") words.push(`bucket ${Math.floor(value / delta)}`);
    if (this.vertices.count) {
      const times = this.vertices.count[vertex];
      words.push(`processed ${times === 1 ? "once" : `${times} times`}${ended ? "" : " in all"}`);
    }
    return words.join(" · ");
  }

  /** Return what a disc of a small graph says under it: a distance, "> 47" while tentative, "∞". */
  label(vertex, ns) {
    const state = this.stateOf(vertex, ns);
    if (state === "unreached" || state === "waiting") return "∞";
    const value = short(this.vertices.dist[vertex]);
    return state === "tentative" ? `> ${value}` : value;
  }

  /** Return the moment as a sentence, for who listens. */
  spoken(ns) {
    const own = Math.min(Math.max(this.fromA(ns), 0), this.time_ns);
    const words = [
      `${this.letter ? `${this.letter}, ` : ""}${this.title} at ${timeWords(own, this.time_ns)}, ${this.clock}`,
    ];
    const share = this.reachedShare(own);
    if (!Number.isNaN(share)) words.push(`${percent(share)} of its vertices reached`);
    words.push(...[this.bucketWords(own), this.deltaWords(own), this.parallelismWords(own)].filter(Boolean));
    return `${words.join("; ")}.`;
  }

  bucketWords(ns) {
    const counts = this.waiting(ns);
    if (this.piles.length) {
      return `Waiting: ${this.piles.map((name, row) => `${thousands(counts[row])} in ${name}`).join(", ")}`;
    }
    const total = counts.reduce((sum, one) => sum + one, 0);
    const head = thousands(this.value("head", Math.max(ns, 0)));
    const open = thousands(this.value("open", Math.max(ns, 0)));
    return `Head is bucket ${head}, ${open} open; ${counted(total, "vertex waits", "vertices wait")}, ${thousands(counts[0])} in head`;
  }

  deltaWords(ns) {
    if (!this.bucketed) return "";
    return `Δ ${plainNumber(this.value("delta", Math.max(ns, 0)))}`;
  }

  parallelismWords(ns) {
    const value = this.value("assigned", ns);
    if (Number.isNaN(value)) return "";
    const [low, high] = [this.value("low", ns), this.value("high", ns)];
    const words = `${this.parallelismTitle()}: ${short(value)}`;
    if (!(high > 0)) return words;
    const place = value < low ? "below" : value > high ? "above" : "inside";
    return `${words}, ${place} the band from ${short(low)} to ${short(high)}`;
  }

  parallelismTitle() {
    return this.parallelism === "assigned"
      ? "Work assigned, edges"
      : "Work available at the start of the superstep, edges";
  }

  /** Return why Δ, or the number of open buckets, last changed before a moment. */
  reasonWords(ns) {
    return this.reasons[String(this.value("reason", ns))] ?? "";
  }
}

/** Return the file's own name of a vertex. */
export function nameOf(graph, vertex) {
  if (graph.ids) return String(graph.ids[vertex]);
  return String((graph.shown ? graph.shown[vertex] : vertex) + graph.id_base);
}

/** Return the vertex of that name, -1 where there is none. */
export function vertexCalled(graph, name) {
  if (graph.ids) return graph.ids.findIndex((id) => String(id) === name);
  const index = Number(name) - graph.id_base;
  if (!/^\d+$/.test(name)) return -1;
  if (graph.shown) return graph.shown.indexOf(index);
  return index >= 0 && index < graph.n ? index : -1;
}

/** Return the last place at which rising numbers are at or below a value, -1 for none. */
export function lastAtOrBefore(rising, value) {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Interpolate between knots; before the first and after the last time passes alike. */
export function bent(ns, known, shown) {
  const last = known.length - 1;
  if (ns <= known[0]) return shown[0] + (ns - known[0]);
  if (ns >= known[last]) return shown[last] + (ns - known[last]);
  const at = lastAtOrBefore(known, ns);
  const share = (ns - known[at]) / (known[at + 1] - known[at]);
  return shown[at] + share * (shown[at + 1] - shown[at]);
}

function times(given) {
  if (!given) return null;
  return Float64Array.from(given, (ns) => (ns === LATE || ns < 0 ? Infinity : ns));
}
