// Two runs on one map: which of them settled a vertex first, which processed it more often.

import { LEVELS } from "./colour.js";
import { short, timeNumber, timeUnit } from "./words.js";

const MOST = 0.98; // of the vertices lie on the bar
const MIDDLE = LEVELS / 2; // the level of no difference

export const DIFFERENCES = {
  difference: "Difference: who settled it first",
  difference_work: "Difference: wasted work",
};

/** Whether the differences of these runs are known at each vertex. */
export function haveDifference(runs) {
  const [a, b] = runs;
  return runs.length === 2 && Boolean(a.last && b.last && a.graph === b.graph && a.source === b.source);
}

/** Return how A's map shows `way`, a key of DIFFERENCES, at a moment of A's clock; see `lookAt`. */
export function differenceAt(a, way, ns) {
  const b = a.other;
  if (way === "difference" && a.clock !== b.clock && b.laid === "time")
    return plain(`A's time is ${a.clock}, B's ${b.clock}: align by share settled`);
  const found = foundOf(a, b);
  const { levels, top } = found[way];
  const ended = ns >= Math.max(a.time_ns, b.toA(b.time_ns));
  const level = (vertex) => {
    if (levels[vertex] < 0 || (!ended && found.first[vertex] > ns)) return 0;
    return Math.min(1 + levels[vertex], 255);
  };
  const legend = way === "difference" ? timeLegend(a, top) : workLegend(top, ended);
  const nothing = [[0, ended ? "unreached" : "not settled yet"]];
  return { level, legend: { ...legend, swatches: nothing }, table: "difference" };
}

/** Return what differs at a vertex, in words. */
export function differenceWords(a, vertex) {
  const { later } = foundOf(a, a.other);
  if (Number.isNaN(later[vertex])) return "";
  const unit = timeUnit(Math.max(a.time_ns, 1));
  const far = `${timeNumber(Math.abs(later[vertex]), unit, a.time_ns)} ${unit.word}`;
  return later[vertex] === 0 ? "settled at once by both" : `settled ${far} earlier by ${later[vertex] > 0 ? "A" : "B"}`;
}

function plain(note) {
  return { level: () => 1, legend: { title: "Difference of A and B", ticks: [], swatches: [], note }, table: "plain" };
}

function timeLegend(a, top) {
  const unit = timeUnit(top);
  const far = `${timeNumber(top, unit)} ${unit.word}`;
  const ticks = [
    [0, `A ${far}`],
    [0.5, "0"],
    [1, `B ${far}`],
  ];
  return { title: `Settled earlier, by A or by B (${a.clock} time)`, ticks };
}

function workLegend(top, ended) {
  const ticks = [
    [0, `A +${short(top)}`],
    [0.5, "same"],
    [1, `B +${short(top)}`],
  ];
  const note = ended ? "" : "counts of the whole run";
  return { title: "Processed more often, by A or by B (wasted work)", ticks, note };
}

/** Return levels of both ways, once for each way in which the clocks meet. */
function foundOf(a, b) {
  if (a.differences && a.differences.knots === b.knots) return a.differences;
  const count = a.last.length;
  const later = new Float64Array(count).fill(NaN);
  const work = new Float64Array(count).fill(NaN);
  const first = new Float64Array(count).fill(Infinity);
  for (let vertex = 0; vertex < count; vertex += 1) {
    if (a.last[vertex] === Infinity || b.last[vertex] === Infinity) continue;
    const when = b.toA(b.last[vertex]);
    later[vertex] = when - a.last[vertex];
    work[vertex] = b.vertices.count[vertex] - a.vertices.count[vertex];
    first[vertex] = Math.min(when, a.last[vertex]);
  }
  a.differences = {
    knots: b.knots,
    later,
    first,
    difference: levelled(later.map((one) => -one)), // B's end of the table where B was first
    difference_work: levelled(work),
  };
  return a.differences;
}

/** Return a level for each value, 0 A's end, MIDDLE none, 2 MIDDLE B's end, -1 unknown; and the end. */
function levelled(values) {
  const sizes = values.map(Math.abs).filter((size) => size > 0).sort();
  const top = Math.max(quantile(sizes, MOST), 1);
  const levels = Int16Array.from(values, (value) =>
    Number.isNaN(value) ? -1 : MIDDLE + evenly(Math.min(Math.max(value / top, -1), 1) * MIDDLE),
  );
  return { levels, top };
}

/** Round half to even, as the window does. */
function evenly(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 ? below + 1 : below;
  return Math.round(value);
}

function quantile(sorted, share) {
  if (!sorted.length) return 1;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
