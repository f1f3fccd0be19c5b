// What the colours of a map mean: the number of each vertex in the table, and its legend.

import { LEVELS } from "./colour.js";
import { short, timeNumber, timeUnit } from "./words.js";

const WAYS = {
  distance: ["Distance", byDistance],
  state: ["State at the cursor", byState],
  processed: ["Times processed (wasted work)", byCount],
};

/**
 * Return {level, table, legend} at a moment: `level(vertex)` is an index of the table, 0: unreached.
 *
 * legend: title, ends (of the scale, or null), swatches [index, words], note
 */
export function lookAt(run, way, ns) {
  if (!run.vertices) return { level: () => 1, legend: { title: "No run yet", swatches: [] }, table: "plain" };
  return WAYS[way][1](run, ns >= run.time_ns ? Infinity : ns);
}

/** Return [way, title] for which all runs have the numbers. */
export function waysOf(runs) {
  const timed = runs.every((run) => run.vertices?.first);
  return Object.entries(WAYS)
    .filter(([way]) => way === "distance" || timed)
    .map(([way, [title]]) => [way, title]);
}

function byDistance(run, ns) {
  const { dist, top, farthest } = run.vertices;
  const unit = (top || 1) / LEVELS;
  const level = (vertex) => {
    if (dist[vertex] < 0 || !isReached(run, vertex, ns)) return 0;
    return Math.min(1 + Math.floor(dist[vertex] / unit), 255);
  };
  const legend = {
    title: `Distance from ${run.source_id}, weight units`,
    ends: ["0", farthest > top ? `≥ ${short(top)}` : short(top)],
    swatches: [[0, "unreached"]],
    note: noteAt(run, ns),
  };
  return { level, legend, table: "distance" };
}

function byState(run, ns) {
  const level = (vertex) => {
    if (run.vertices.dist[vertex] < 0 || run.first[vertex] > ns) return 0;
    return run.last[vertex] > ns ? 1 : 2;
  };
  const swatches = [
    [0, "unreached"],
    [1, "tentative"],
    [2, "settled"],
  ];
  return { level, legend: { title: "State", swatches, note: "tentative: may still improve" }, table: "state" };
}

function byCount(run, ns) {
  const counts = run.vertices.count;
  const top = counts.reduce((most, one) => Math.max(most, one), 2);
  const level = (vertex) => {
    if (!counts[vertex] || !isReached(run, vertex, ns)) return 0;
    return 1 + Math.round((LEVELS * Math.log(counts[vertex])) / Math.log(top));
  };
  const legend = {
    title: "Times processed, log scale",
    ends: ["1", short(top)],
    swatches: [[0, "never"]],
    note: `1 is ideal; more is work done twice${ns < Infinity ? " (counts of the whole run)" : ""}`,
  };
  return { level, legend, table: "processed" };
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
