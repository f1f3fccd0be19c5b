// One run of the page: its samples and vertices at a moment, in numbers and in words.

import { plainNumber, short, timeWords } from "./words.js";

const LATE = 4294967295; // ns: a time that did not happen

export class Run {
  constructor(tree, graph, letter = "") {
    Object.assign(this, tree, { graph, letter });
    this.times = tree.columns.t;
    if (this.vertices) {
      this.first = times(this.vertices.first);
      this.last = times(this.vertices.last);
    }
  }

  /** Return a column's value at a moment, NaN before the first sample. */
  value(column, ns) {
    const place = lastAtOrBefore(this.times, ns);
    return place < 0 ? NaN : this.columns[column][place];
  }

  /** Return how many vertices wait in all buckets or piles at a moment. */
  waiting(ns) {
    if (ns > this.time_ns) return 0;
    const place = Math.max(lastAtOrBefore(this.times, ns), 0);
    let total = 0;
    for (let row = 0; row < this.rows; row += 1) total += this.occupancy[row * this.times.length + place];
    return total;
  }

  /** Return the times of samples, or of those alone at which Δ changed. */
  stops(onlyChanges) {
    const { delta } = this.columns;
    if (!onlyChanges || !this.bucketed) return this.times;
    const last = this.times.length - 1;
    return this.times.filter((_, place) => place === 0 || delta[place] !== delta[place - 1] || place === last);
  }

  /** Return the state of a vertex at a moment. */
  stateOf(vertex, ns) {
    if (this.vertices.dist[vertex] < 0) return "unreached";
    if (!this.first) return "final";
    if (this.first[vertex] > ns) return "waiting";
    return this.last[vertex] > ns ? "tentative" : "settled";
  }

  /** Return "vertex 17 · distance 42 · processed 2 times", as far as the run has it. */
  vertexWords(vertex, ns) {
    const name = `vertex ${nameOf(this.graph, vertex)}`;
    if (!this.vertices) return name;
    const state = this.stateOf(vertex, ns);
    if (state === "unreached") return `${name} · unreached`;
    const words = [name];
    const distance = `distance ${plainNumber(this.vertices.dist[vertex])}`;
    const ended = ns >= this.time_ns;
    if (state === "waiting" || state === "tentative") {
      const now = timeWords(ns, this.time_ns);
      words.push(`${state === "waiting" ? "not reached yet" : "tentative"} at ${now}`, `final ${distance}`);
    } else words.push(distance);
    if (this.vertices.count) {
      const count = this.vertices.count[vertex];
      words.push(`processed ${count === 1 ? "once" : `${count} times`}${ended ? "" : " in all"}`);
    }
    return words.join(" · ");
  }

  /** Return what stands under a disc of a small graph: a distance, "47 later" while tentative, "∞". */
  label(vertex, ns) {
    const state = this.stateOf(vertex, ns);
    if (state === "unreached" || state === "waiting") return "∞";
    const value = short(this.vertices.dist[vertex]);
    return state === "tentative" ? `${value} later` : value;
  }
}

/** Return the file's own name of a vertex. */
export function nameOf(graph, vertex) {
  if (graph.ids) return String(graph.ids[vertex]);
  return String(vertex + graph.id_base);
}

/** Return the vertex of that name, -1 where there is none. */
export function vertexCalled(graph, name) {
  if (graph.ids) return graph.ids.findIndex((id) => String(id) === name);
  if (!/^\d+$/.test(name)) return -1;
  const index = Number(name) - graph.id_base;
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

function times(values) {
  if (!values) return null;
  return Float64Array.from(values, (ns) => (ns === LATE || ns < 0 ? Infinity : ns));
}
