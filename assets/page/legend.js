// What the colours of a map mean: the number of each vertex in the table, ticks, swatches, a note.

import { LEVELS } from "./colour.js";
import { plainNumber, short, thousands, tickValues, timeNumber, timeUnit } from "./words.js";

const CROWDED = 1.4; // a tick so near to the last one is left out

export const WAYS = {
  distance: "Distance",
  state: "State at the cursor",
  processed: "Times processed (wasted work)",
  settled_time: "Time last improved",
  bucket: "Bucket at the cursor",
};

/** Return {level, legend}: `level(vertex)` is a table index at a moment of the run, 0: unreached. */
export function lookAt(run, way, ns) {
  if (!run.vertices)
    return { level: () => 1, legend: { title: "No run yet", ticks: [], swatches: [] }, table: "plain" };
  const ended = ns >= run.time_ns;
  return (
    { state: byState, processed: byCount, settled_time: byTime, bucket: byBucket }[way]?.(run, ended ? Infinity : ns) ??
    byDistance(run, ended ? Infinity : ns)
  );
}

/** Return the ways of colouring that a run knows enough for. */
export function waysOf(runs) {
  const timed = runs.every((run) => run.vertices?.first);
  return Object.entries(WAYS).filter(([way]) => {
    if (way === "bucket") return runs.some((run) => run.bucketed);
    return way === "distance" || timed;
  });
}

function byDistance(run, ns) {
  const { dist, top, farthest } = run.vertices;
  const unit = (top || 1) / LEVELS;
  let ticks = tickValues(top).map((value) => [value / (top || 1), short(value)]);
  if (farthest > top) ticks = [...ticks.filter(([share]) => share < 0.85), [1, `≥ ${short(top)}`]];
  const level = (vertex) => {
    if (dist[vertex] < 0 || !isReached(run, vertex, ns)) return 0;
    return Math.min(1 + Math.floor(dist[vertex] / unit), 255);
  };
  const legend = {
    title: `Distance from ${run.source_id}, weight units`,
    ticks,
    swatches: [[0, "unreached"]],
    note: noteAt(run, ns),
  };
  return { level, legend, table: "distance" };
}

function byState(run, ns) {
  const swatches = [
    [0, "unreached"],
    [1, "tentative"],
    [2, "settled"],
  ];
  const level = (vertex) => {
    if (run.vertices.dist[vertex] < 0 || run.first[vertex] > ns) return 0;
    return run.last[vertex] > ns ? 1 : 2;
  };
  return {
    level,
    legend: { title: "State", ticks: [], swatches, note: "tentative: may still improve" },
    table: "state",
  };
}

function byCount(run, ns) {
  const counts = run.vertices.count;
  const top = Math.max(
    2,
    counts.reduce((most, one) => Math.max(most, one), 0),
  );
  const wanted = [1, 2, 5, 10, 100, 1000, 10000, 100000].filter((count) => count < top / CROWDED);
  const ticks = [...wanted, top].map((count) => [Math.log(count) / Math.log(top), short(count)]);
  const level = (vertex) => {
    if (!counts[vertex] || !isReached(run, vertex, ns)) return 0;
    return 1 + Math.round((LEVELS * Math.log(counts[vertex])) / Math.log(top));
  };
  const note = `1 is ideal; more is work done twice${ns < Infinity ? " (counts of the whole run)" : ""}`;
  return {
    level,
    legend: { title: "Times processed, log scale", ticks, swatches: [[0, "never"]], note },
    table: "processed",
  };
}

function byTime(run, ns) {
  const top = Math.max(run.time_ns, 1);
  const unit = timeUnit(top);
  const ticks = tickValues(top * unit.factor).map((value) => [value / unit.factor / top, plainNumber(value)]);
  const level = (vertex) =>
    run.last[vertex] <= ns && run.last[vertex] < Infinity
      ? Math.min(1 + Math.floor((run.last[vertex] / top) * LEVELS), 255)
      : 0;
  const later = ns === Infinity ? "unreached" : "unreached, or improved later";
  return {
    level,
    legend: { title: `Time last improved, ${unit.word} (${run.clock})`, ticks, swatches: [[0, later]] },
    table: "settled_time",
  };
}

function byBucket(run, ns) {
  const delta = run.value("delta", Math.min(ns, run.time_ns));
  if (!run.bucketed || !(delta > 0)) return byDistance(run, ns);
  const buckets = Math.floor((run.vertices.farthest || 1) / delta) + 1;
  const group = Math.ceil(buckets / LEVELS);
  const ticks = tickValues(buckets)
    .filter(Number.isInteger)
    .map((value) => [Math.min(1, value / buckets), short(value)]);
  const level = (vertex) => {
    if (run.vertices.dist[vertex] < 0 || !isReached(run, vertex, ns)) return 0;
    return Math.min(1 + Math.floor(run.vertices.dist[vertex] / (delta * group)), 255);
  };
  const note = group > 1 ? `${thousands(group)} buckets to a colour` : noteAt(run, ns);
  const legend = { title: `Bucket ⌊distance / Δ⌋, Δ = ${short(delta)}`, ticks, swatches: [[0, "unreached"]], note };
  return { level, legend, table: "bucket", steps: Math.ceil(buckets / group) };
}

function isReached(run, vertex, ns) {
  return !run.first || ns === Infinity || run.first[vertex] <= ns;
}

function noteAt(run, ns) {
  if (ns === Infinity) return "";
  if (!run.first) return "The final distances; earlier ones need probe level 2.";
  const unit = timeUnit(run.time_ns);
  return `Reached by ${timeNumber(ns, unit, run.time_ns)} ${unit.word}. The distances are the final ones.`;
}
