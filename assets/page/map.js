// The map of a run: vertices where they lie, coloured by what is true of them at the cursor.
//
// A graph of a few vertices is drawn as in a textbook. Of a larger one the canvas keeps its picture:
// while time moves forward, only vertices whose colour changed are painted again.

import { css, tableFor } from "./colour.js";
import { colours, drawn, element } from "./elements.js";
import { lookAt } from "./legend.js";
import { nameOf, vertexCalled } from "./run.js";
import { plainNumber } from "./words.js";

const MARGIN = 0.045; // of the shorter side, around the drawing
const FEW_MARGIN = 46; // pixels around a small graph, for discs and what stands under them
const NEAR = 14; // pixels: a vertex that far from the pointer is meant
const SIDES = [[0, 1], [0, -1], [1, 0], [-1, 0]]; // of a disc: below, above, right, left
const NEAR_ARC = 0.8; // cosine between a side and an arc that comes from there
const NOWHERE = 65535; // on the grid: a vertex without a place
const MOST_INK = 4; // pixels of edges per pixel of the field; above, only vertices are drawn

export class MapView {
  /** chosen(vertex): called when a vertex is clicked; pointed(vertex): when one is hovered. */
  constructor(run, clock, { chosen = null, pointed = () => {}, rings = [] } = {}) {
    Object.assign(this, { run, clock, chosen, pointed, rings });
    this.graph = run.graph;
    this.way = "distance";
    this.hovered = -1;
    this.picked = -1;
    this.build();
    new ResizeObserver(() => this.resized()).observe(this.field);
    clock.watch(() => this.draw());
  }

  build() {
    const { letter, title } = this.run;
    const name = `${letter} ${title}`.trim();
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.overlay = drawn("svg", { class: "overlay", "aria-hidden": "true" });
    this.card = element("p", { class: "card", role: "status" });
    this.field = element(
      "div",
      { class: "field", tabindex: "0", role: "img", "aria-label": `Map, ${name}` },
      this.canvas,
      this.overlay,
    );
    this.legend = element("figcaption", { class: "legend" });
    this.find = element("input", {
      type: "text",
      size: 7,
      placeholder: "vertex",
      "aria-label": `Look at a vertex of ${name}`,
    });
    const head = element("div", { class: "map-head" }, titleOf(this.run), this.find);
    this.root = element("figure", { class: "map" }, head, this.field, this.card, this.legend);
    this.listen();
  }

  listen() {
    this.field.addEventListener("pointermove", (event) => this.point(this.vertexAt(event)));
    this.field.addEventListener("pointerleave", () => this.point(-1));
    this.field.addEventListener("click", (event) => this.choose(this.vertexAt(event)));
    this.find.addEventListener("input", () => {
      const name = this.find.value.trim();
      const vertex = vertexCalled(this.graph, name);
      this.point(vertex);
      if (vertex < 0 && name) this.card.textContent = `${name} is not a vertex here`;
    });
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.choose(vertexCalled(this.graph, this.find.value.trim()));
      event.stopPropagation();
    });
  }

  choose(vertex) {
    if (vertex < 0) return;
    this.point(vertex);
    if (this.chosen) this.chosen(vertex);
  }

  /** Mark the vertex that was answered. */
  pick(vertex) {
    this.picked = vertex;
    this.drawOverlay();
  }

  point(vertex) {
    if (vertex === this.hovered) return;
    this.hovered = vertex;
    this.drawOverlay();
    this.showCard();
    this.pointed(vertex);
  }

  setWay(way) {
    this.way = way;
    this.recolour();
  }

  /** Compute the place of every vertex, CSS pixels, for the field as it is now. */
  resized() {
    const { clientWidth: width, clientHeight: height } = this.field;
    if (!width) return;
    const { graph } = this;
    const margin = graph.few ? FEW_MARGIN : MARGIN * Math.min(width, height);
    const across = Math.max(width - 2 * margin, 1) / graph.width;
    const down = Math.max(height - 2 * margin, 1) / graph.height;
    const scale = Math.min(across, down);
    const hasPlace = (vertex) => graph.x[vertex] !== NOWHERE || graph.y[vertex] !== NOWHERE;
    const placed = (values, middle, room) =>
      Float32Array.from(values, (value, vertex) => (hasPlace(vertex) ? room / 2 + (value - middle) * scale : NaN));
    this.x = placed(graph.x, graph.width / 2, width);
    this.y = placed(graph.y, graph.height / 2, height);
    const spacing = Math.sqrt((width * height) / Math.max(graph.x.length, 1));
    this.radius = graph.few ? between(8, 0.12 * spacing, 17) : between(0.7, 0.16 * spacing, 6);
    this.lineWidth = between(1, 0.2 * spacing, 2.2);
    this.hasLines = this.ink() <= MOST_INK * width * height;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.hidden = graph.few;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context = this.canvas.getContext("2d");
    this.context.scale(ratio, ratio);
    this.overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.recolour();
  }

  /** Return the area that all edges take, pixels. */
  ink() {
    const { tails, heads } = this.graph;
    let length = 0;
    for (let arc = 0; arc < tails.length; arc += 1) {
      const [tail, head] = [tails[arc], heads[arc]];
      length += Math.hypot(this.x[tail] - this.x[head], this.y[tail] - this.y[head]) || 0;
    }
    return length * this.lineWidth;
  }

  /** Take the colours of the page: another theme, another way of colouring. */
  recolour() {
    if (!this.x) return; // not laid out yet
    this.theme = colours();
    this.levels = null;
    this.legendKey = "";
    this.draw();
  }

  draw() {
    if (!this.theme) return;
    const { now } = this.clock;
    const look = lookAt(this.run, this.way, now);
    const table = tableFor(look.table, this.theme);
    const before = now >= this.now ? this.levels : null;
    this.now = now;
    this.levels = Uint8Array.from(this.graph.x, (_, vertex) => look.level(vertex));
    if (this.graph.few) this.drawFew(table);
    else this.paint(table, before);
    this.showLegend(look.legend, table);
    this.drawOverlay();
    this.showCard();
  }

  /** Paint vertices and their halves of edges; of those whose level is as `before`, nothing. */
  paint(table, before) {
    const { context, levels, x, y } = this;
    if (!before) context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const changed = (vertex) => !before || before[vertex] !== levels[vertex];
    const lines = new Paths();
    const discs = new Paths();
    const half = (vertex, other) => {
      if (!changed(vertex) || !Number.isFinite(x[vertex] + x[other])) return;
      const path = lines.of(levels[vertex]);
      path.moveTo(x[vertex], y[vertex]);
      path.lineTo((x[vertex] + x[other]) / 2, (y[vertex] + y[other]) / 2);
    };
    if (this.hasLines) {
      this.graph.tails.forEach((tail, arc) => {
        half(tail, this.graph.heads[arc]);
        half(this.graph.heads[arc], tail);
      });
    }
    for (let vertex = 0; vertex < levels.length; vertex += 1) {
      if (!changed(vertex) || !Number.isFinite(x[vertex])) continue;
      const path = discs.of(levels[vertex]);
      path.moveTo(x[vertex] + this.radius, y[vertex]);
      path.arc(x[vertex], y[vertex], this.radius, 0, 2 * Math.PI);
    }
    context.lineWidth = this.lineWidth;
    lines.each((level, path) => {
      context.strokeStyle = css(table[level]);
      context.stroke(path);
    });
    discs.each((level, path) => {
      context.fillStyle = css(table[level]);
      context.fill(path);
    });
  }

  /** Draw source, rings, notes and the vertex under the pointer. */
  drawOverlay() {
    if (!this.x) return;
    const marks = [];
    const rim = this.graph.few ? this.radius : 3;
    const mark = (vertex, name, room) => {
      if (!(vertex >= 0) || !Number.isFinite(this.x[vertex])) return;
      marks.push(drawn("circle", { class: name, cx: this.x[vertex], cy: this.y[vertex], r: rim + room }));
    };
    const { source } = this.run;
    mark(source, "source-ring", 4);
    this.rings.forEach((vertex) => mark(vertex, "ring", 8));
    mark(this.picked, "picked", 6);
    mark(this.hovered, "hovered", 3);
    this.overlay.replaceChildren(...(this.drawing ?? []), ...marks);
  }

  /** Draw a small graph as in a textbook: names in discs, weights on arcs, distances below. */
  drawFew(table) {
    const { tails, heads, weights } = this.graph;
    const parts = [];
    const both = new Set(Array.from(tails, (tail, arc) => `${tail} ${heads[arc]}`));
    tails.forEach((tail, arc) => {
      if (tail !== heads[arc])
        parts.push(...this.arc(tail, heads[arc], weights[arc], both.has(`${heads[arc]} ${tail}`)));
    });
    this.levels.forEach((level, vertex) => {
      const [x, y] = [this.x[vertex], this.y[vertex]];
      if (!Number.isFinite(x)) return;
      const fill = table[level];
      const isDark = 0.3 * fill[0] + 0.59 * fill[1] + 0.11 * fill[2] < 140;
      parts.push(
        drawn("circle", { cx: x, cy: y, r: this.radius, fill: css(fill), class: "disc" }),
        drawn(
          "text",
          { x, y: y + 0.3 * this.radius, "font-size": 0.85 * this.radius, class: isDark ? "name on-dark" : "name" },
          nameOf(this.graph, vertex),
        ),
      );
      if (this.run.vertices)
        parts.push(drawn("text", { ...this.beside(vertex), class: "under" }, this.run.label(vertex, this.now)));
    });
    this.drawing = parts;
  }

  /** Return where a distance stands: below its disc, or on a side that has no arcs. */
  beside(vertex) {
    const [x, y] = [this.x[vertex], this.y[vertex]];
    const { tails, heads } = this.graph;
    const ends = Array.from(tails, (tail, arc) => (tail === vertex ? heads[arc] : heads[arc] === vertex ? tail : vertex));
    const turns = ends.map((end) => Math.atan2(this.y[end] - y, this.x[end] - x));
    const isFree = ([dx, dy]) =>
      turns.every((turn, at) => ends[at] === vertex || Math.cos(turn) * dx + Math.sin(turn) * dy < NEAR_ARC);
    const [dx, dy] = SIDES.find(isFree) ?? SIDES[0];
    const anchor = ["end", "middle", "start"][dx + 1];
    return { x: x + dx * (this.radius + 8), y: y + dy * (this.radius + 9) + 4, "text-anchor": anchor };
  }

  arc(tail, head, weight, curved) {
    const [x0, y0, x1, y1] = [this.x[tail], this.y[tail], this.x[head], this.y[head]];
    const long = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [ux, uy] = [(x1 - x0) / long, (y1 - y0) / long];
    const bend = curved ? 18 : 0;
    const [mx, my] = [(x0 + x1) / 2 - uy * bend, (y0 + y1) / 2 + ux * bend];
    const toEnd = Math.hypot(x1 - mx, y1 - my) || 1;
    const [ex, ey] = [(x1 - mx) / toEnd, (y1 - my) / toEnd];
    const [tx, ty] = [x1 - ex * (this.radius + 2), y1 - ey * (this.radius + 2)];
    const wing = (side) => `${tx - 9 * ex - side * 4.5 * ey} ${ty - 9 * ey + side * 4.5 * ex}`;
    return [
      drawn("path", { class: "arc", d: `M${x0} ${y0} Q${mx} ${my} ${tx} ${ty}` }),
      drawn("path", { class: "arrow", d: `M${tx} ${ty} L${wing(1)} L${wing(-1)} Z` }),
      drawn("text", { class: "weight", x: mx - uy * 11, y: my + ux * 11 + 4 }, plainNumber(weight)),
    ];
  }

  showLegend(legend, table) {
    const key = JSON.stringify(legend);
    if (key === this.legendKey) return;
    this.legendKey = key;
    const { title, ends, swatches, note } = legend;
    const parts = [element("span", { class: "legend-title" }, title)];
    for (const [at, words] of swatches) parts.push(element("span", {}, swatch([table[at]]), words));
    if (ends) {
      const shades = Array.from({ length: 16 }, (_, at) => table[1 + 17 * at - (at ? 1 : 0)]);
      parts.push(element("span", {}, `${ends[0]} `, swatch(shades, "bar"), ends[1]));
    }
    const remarks = [this.graph.few || this.hasLines ? "" : "too many edges to draw", note ?? ""];
    parts.push(element("span", { class: "note line" }, remarks.filter(Boolean).join(" · ")));
    this.legend.replaceChildren(...parts);
  }

  showCard() {
    if (this.hovered < 0) {
      this.card.textContent = this.chosen ? "Click a vertex to choose it." : "Point at a vertex for its numbers.";
      return;
    }
    this.card.textContent = this.run.vertexWords(this.hovered, this.clock.now);
  }

  vertexAt(event) {
    if (!this.x) return -1;
    const box = this.field.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = this.graph.few ? 2 * NEAR : NEAR;
    let nearest = -1;
    for (let vertex = 0; vertex < this.x.length; vertex += 1) {
      const far = Math.hypot(this.x[vertex] - x, this.y[vertex] - y);
      if (far < best) {
        best = far;
        nearest = vertex;
      }
    }
    return nearest;
  }
}

/** One path for each level. */
class Paths {
  constructor() {
    this.paths = new Map();
  }

  of(level) {
    if (!this.paths.has(level)) this.paths.set(level, new Path2D());
    return this.paths.get(level);
  }

  /** Call draw(level, path), unreached ones first: the others lie above them. */
  each(draw) {
    for (const level of [...this.paths.keys()].sort((a, b) => a - b)) draw(level, this.paths.get(level));
  }
}

/** Return the heading of a run: its letter, if there are two, and its title. */
export function titleOf(run) {
  const letter = run.letter ? element("span", { class: `letter ${run.letter}` }, run.letter) : null;
  return element("h3", {}, letter, run.title);
}

/** Return colours side by side: one as a key, several as a scale. */
function swatch(shades, kind = "swatch") {
  const cells = shades.map((shade, at) =>
    drawn("rect", { x: 10 * at, y: 0, width: 10.5, height: 10, fill: css(shade) }),
  );
  const box = `0 0 ${10 * shades.length} 10`;
  return drawn("svg", { class: kind, viewBox: box, preserveAspectRatio: "none", "aria-hidden": "true" }, ...cells);
}

function between(low, value, high) {
  return Math.min(Math.max(value, low), high);
}
