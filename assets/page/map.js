// The map of a run: vertices where they lie, coloured by what is true of them at the cursor.

import { blended, channels, css, pixel, shades, tableFor } from "./colour.js";
import { button, colours, drawn, element } from "./elements.js";
import { lookAt } from "./legend.js";
import { pixelMap } from "./raster.js";
import { nameOf, vertexCalled } from "./run.js";
import { plainNumber } from "./words.js";

const MARGIN = 0.045; // of the shorter side, around the drawing
const NEAR = 14; // pixels: a vertex that far from the pointer is meant
const MOST_ZOOM = 60;
const NOWHERE = 65535; // on the grid: a vertex without a place
const DISC_LEAST = 8; // pixels: radius of a vertex of a small graph
const DISC_MOST = 17;
const DISC_SHARE = 0.3; // of the way to the nearest other vertex
const FEW_MARGIN = 46; // pixels around a small graph, for discs and what stands under them

export class MapView {
  /** chosen(vertex): called when a vertex is clicked; pointed(vertex): when one is hovered. */
  constructor(run, clock, { chosen = null, pointed = () => {}, rings = [] } = {}) {
    Object.assign(this, { run, clock, chosen, pointed, rings });
    this.graph = run.graph;
    this.way = "distance";
    this.zoom = 1;
    this.centre = [this.graph.width / 2, this.graph.height / 2];
    this.hovered = -1;
    this.build();
    this.size = new ResizeObserver(() => this.resized());
    this.size.observe(this.field);
    clock.watch(() => this.draw());
  }

  build() {
    const name = this.run.letter ? `${this.run.letter}: ${this.run.title}` : this.run.title;
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
    const tools = element(
      "div",
      { class: "tools" },
      this.find,
      button("+", "Zoom in (+)", () => this.zoomBy(1.6)),
      button("−", "Zoom out (−)", () => this.zoomBy(1 / 1.6)),
      button("⤢", "Show the whole graph (0)", () => this.fit()),
    );
    const head = element("div", { class: "map-head" }, element("h3", {}, ...titleOf(this.run)), tools);
    this.root = element("figure", { class: "map" }, head, this.field, this.card, this.legend);
    this.listen();
  }

  listen() {
    this.field.addEventListener("pointermove", (event) => this.moved(event));
    this.field.addEventListener("pointerleave", () => this.point(-1));
    this.field.addEventListener("pointerdown", (event) => {
      this.pressed = [event.clientX, event.clientY, ...this.centre];
      this.field.setPointerCapture(event.pointerId);
    });
    this.field.addEventListener("pointerup", (event) => {
      const still = this.pressed && Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) < 5;
      this.pressed = null;
      if (still) this.choose(this.vertexAt(event));
    });
    this.field.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return; // the page scrolls
        event.preventDefault();
        this.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event);
      },
      { passive: false },
    );
    this.field.addEventListener("keydown", (event) => {
      const act = { "+": () => this.zoomBy(1.6), "-": () => this.zoomBy(1 / 1.6), 0: () => this.fit() }[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    });
    this.find.addEventListener("input", () => {
      const vertex = vertexCalled(this.graph, this.find.value.trim());
      this.point(vertex);
      if (vertex < 0 && this.find.value.trim())
        this.card.textContent = `${this.find.value.trim()} is not a vertex here`;
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

  /** Ring these vertices; `picked` is one that was answered. */
  ring(vertices, picked = -1) {
    this.rings = vertices;
    this.picked = picked;
    this.drawOverlay();
  }

  setWay(way) {
    this.way = way;
    this.draw();
  }

  fit() {
    this.zoom = 1;
    this.centre = [this.graph.width / 2, this.graph.height / 2];
    this.resized();
  }

  zoomBy(factor, event = null) {
    const before = event ? this.worldAt(event) : this.centre;
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    if (this.zoom === 1) this.centre = [this.graph.width / 2, this.graph.height / 2];
    else if (event) {
      this.place();
      const after = this.worldAt(event);
      this.centre = this.centre.map((one, at) => one + before[at] - after[at]);
    }
    this.resized();
  }

  /** Return the least way between two vertices of a small graph, pixels. */
  nearest() {
    let least = Infinity;
    for (let one = 0; one < this.x.length; one += 1) {
      for (let other = 0; other < one; other += 1) {
        const far = Math.hypot(this.x[one] - this.x[other], this.y[one] - this.y[other]) / this.ratio;
        if (far < least) least = far;
      }
    }
    return least;
  }

  /** Find scale and pixels of every vertex for the field as it is now. */
  place() {
    const { clientWidth: width, clientHeight: height } = this.field;
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.width = Math.max(Math.round(width * this.ratio), 1);
    this.height = Math.max(Math.round(height * this.ratio), 1);
    const margin = this.graph.few ? FEW_MARGIN * this.ratio : MARGIN * Math.min(this.width, this.height);
    const room = [Math.max(this.width - 2 * margin, 1), Math.max(this.height - 2 * margin, 1)];
    this.scale = this.zoom * Math.min(room[0] / this.graph.width, room[1] / this.graph.height);
    const count = this.graph.x.length;
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    for (let vertex = 0; vertex < count; vertex += 1) {
      const known = this.graph.x[vertex] !== NOWHERE || this.graph.y[vertex] !== NOWHERE;
      this.x[vertex] = known ? this.width / 2 + (this.graph.x[vertex] - this.centre[0]) * this.scale : NaN;
      this.y[vertex] = known ? this.height / 2 + (this.graph.y[vertex] - this.centre[1]) * this.scale : NaN;
    }
  }

  resized() {
    if (!this.field.clientWidth) return;
    this.place();
    if (this.graph.few) this.radius = Math.min(Math.max(DISC_SHARE * this.nearest(), DISC_LEAST), DISC_MOST);
    this.overlay.setAttribute("viewBox", `0 0 ${this.width / this.ratio} ${this.height / this.ratio}`);
    this.canvas.hidden = this.graph.few;
    if (!this.graph.few) {
      this.canvas.width = this.width;
      this.canvas.height = this.height;
      const { x, y, width, height, ratio } = this;
      this.pixels = pixelMap({ x, y, tails: this.graph.tails, heads: this.graph.heads, width, height, ratio });
    }
    this.recolour();
  }

  /** Take the colours of the page: another theme, another way of colouring. */
  recolour() {
    if (!this.x) return; // not laid out yet
    this.theme = colours(this.field);
    this.tables = new Map();
    if (this.pixels) {
      const paper = pixel(channels(this.theme.plot));
      const grey = this.pixels.grey ? shades(this.theme) : null;
      this.image = new ImageData(this.width, this.height);
      this.words = new Uint32Array(this.image.data.buffer);
      if (grey) for (let at = 0; at < this.words.length; at += 1) this.words[at] = grey[this.pixels.grey[at]];
      else this.words.fill(paper);
    }
    this.draw();
  }

  tableOf(look) {
    const key = `${look.table} ${look.steps ?? 255}`;
    if (!this.tables.has(key)) {
      const table = tableFor(look.table, this.theme, look.steps);
      this.tables.set(key, { table, blended: blended(table, this.theme.plot) });
    }
    return this.tables.get(key);
  }

  draw() {
    if (!this.tables) return;
    this.now = this.run.fromA(this.clock.now);
    const look = lookAt(this.run, this.way, this.now);
    const { table, blended: mixes } = this.tableOf(look);
    const levels = Uint8Array.from(this.graph.x, (_, vertex) => look.level(vertex));
    this.levels = levels;
    if (this.graph.few) this.drawFew(levels, table);
    else this.paint(levels, mixes);
    this.showLegend(look, table);
    this.drawOverlay();
    this.showCard();
  }

  paint(levels, mixes) {
    const { pixel: places, owner, cover } = this.pixels;
    for (let at = 0; at < places.length; at += 1) this.words[places[at]] = mixes[cover[at] * 256 + levels[owner[at]]];
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
  }

  at(vertex) {
    return [this.x[vertex] / this.ratio, this.y[vertex] / this.ratio];
  }

  /** Draw source, rings and the vertex under the pointer. */
  drawOverlay() {
    if (!this.x) return;
    const marks = [];
    const few = this.graph.few;
    const mark = (vertex, name, radius) => {
      const [x, y] = this.at(vertex);
      if (Number.isFinite(x)) marks.push(drawn("circle", { class: name, cx: x, cy: y, r: radius }));
    };
    const source = this.graph.shown ? this.graph.shown.indexOf(this.run.source) : this.run.source;
    if (source >= 0) {
      const [x, y] = this.at(source);
      mark(source, few ? "source-rim" : "source-ring", few ? this.radius + 4 : 8);
      if (!few) marks.push(drawn("path", { class: "source-star", d: star(x, y, 6) }));
    }
    for (const vertex of this.rings) mark(vertex, "ring", few ? this.radius + 8 : 11);
    for (const { vertex } of this.run.notes ?? []) {
      if (vertex >= 0) mark(vertex, "noted", few ? this.radius + 4 : 6); // else at a moment, or not drawn
    }
    if (this.picked >= 0) mark(this.picked, "picked", few ? this.radius + 6 : 9);
    if (this.hovered >= 0) mark(this.hovered, "hovered", few ? this.radius + 3 : 6);
    this.overlay.replaceChildren(...(few ? (this.drawing ?? []) : []), ...marks);
  }

  /** Bring a vertex into sight and point at it. */
  look(vertex) {
    const [x, y] = this.at(vertex);
    if (!(x >= 0 && y >= 0 && x <= this.width / this.ratio && y <= this.height / this.ratio)) this.fit();
    this.point(vertex);
    this.field.focus();
  }

  /** Draw a small graph as in a textbook: names in discs, weights on arcs, distances below. */
  drawFew(levels, table) {
    const { tails, heads, weights } = this.graph;
    const parts = [];
    const both = new Set(Array.from(tails, (tail, arc) => `${tail} ${heads[arc]}`));
    for (let arc = 0; arc < tails.length; arc += 1) {
      if (tails[arc] === heads[arc]) continue;
      parts.push(...this.arc(tails[arc], heads[arc], weights[arc], both.has(`${heads[arc]} ${tails[arc]}`)));
    }
    for (let vertex = 0; vertex < levels.length; vertex += 1) {
      const [x, y] = this.at(vertex);
      if (!Number.isFinite(x)) continue;
      const fill = table[levels[vertex]];
      const dark = 0.3 * fill[0] + 0.59 * fill[1] + 0.11 * fill[2] < 140;
      parts.push(
        drawn("circle", { cx: x, cy: y, r: this.radius, fill: css(fill), class: "disc" }),
        drawn(
          "text",
          { x, y: y + 0.3 * this.radius, "font-size": 0.85 * this.radius, class: dark ? "name on-dark" : "name" },
          nameOf(this.graph, vertex),
        ),
      );
      if (this.run.vertices) {
        parts.push(drawn("text", { x, y: y + this.radius + 13, class: "under" }, this.run.label(vertex, this.now)));
      }
    }
    this.drawing = parts;
  }

  arc(tail, head, weight, curved) {
    const [[x0, y0], [x1, y1]] = [this.at(tail), this.at(head)];
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

  showLegend(look, table) {
    const key = JSON.stringify([look.legend, look.table, look.steps]);
    if (key === this.legendKey && this.legendTheme === this.theme) return;
    this.legendKey = key;
    this.legendTheme = this.theme;
    const { title, ticks, swatches, note } = look.legend;
    const parts = [element("span", { class: "legend-title" }, title)];
    for (const [at, words] of swatches) {
      const dot = drawn(
        "svg",
        { viewBox: "0 0 10 10", class: "swatch" },
        drawn("circle", { cx: 5, cy: 5, r: 5, fill: css(table[at]) }),
      );
      parts.push(element("span", { class: "key" }, dot, words));
    }
    if (ticks.length) parts.push(bar(table, look.steps ?? 255, ticks));
    if (this.graph.shown)
      parts.push(
        element(
          "span",
          { class: "note" },
          `${plainNumber(this.graph.x.length)} of ${plainNumber(this.graph.n)} vertices drawn`,
        ),
      );
    parts.push(element("span", { class: "note line" }, note ?? ""));
    this.legend.replaceChildren(...parts);
  }

  showCard() {
    if (this.hovered < 0)
      this.card.textContent = this.chosen ? "Click a vertex to choose it." : "Point at a vertex for its numbers.";
    else {
      const said = (this.run.notes ?? []).filter((one) => one.vertex === this.hovered).map((one) => one.text);
      this.card.textContent = [this.run.vertexWords(this.hovered, this.now), ...said].join(" · ");
    }
  }

  moved(event) {
    if (this.pressed && event.buttons && this.zoom > 1) {
      const [x, y, cx, cy] = this.pressed;
      const unit = this.ratio / this.scale;
      this.centre = [cx - (event.clientX - x) * unit, cy - (event.clientY - y) * unit];
      this.resized();
      return;
    }
    this.point(this.vertexAt(event));
  }

  point(vertex) {
    if (vertex === this.hovered) return;
    this.hovered = vertex;
    this.drawOverlay();
    this.showCard();
    this.pointed(vertex);
  }

  /** Show what another map's pointer is at. */
  follow(vertex) {
    if (vertex === this.hovered) return;
    this.hovered = vertex;
    this.drawOverlay();
    this.showCard();
  }

  worldAt(event) {
    const box = this.field.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
    return [this.centre[0] + (x - this.width / 2) / this.scale, this.centre[1] + (y - this.height / 2) / this.scale];
  }

  vertexAt(event) {
    if (!this.x) return -1;
    const box = this.field.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
    let best = (NEAR * this.ratio * (this.graph.few ? 2 : 1)) ** 2;
    let found = -1;
    for (let vertex = 0; vertex < this.x.length; vertex += 1) {
      const far = (this.x[vertex] - x) ** 2 + (this.y[vertex] - y) ** 2;
      if (far < best) [best, found] = [far, vertex];
    }
    return found;
  }
}

function titleOf(run) {
  return run.letter ? [element("span", { class: `letter ${run.letter}` }, run.letter), run.title] : [run.title];
}

/** Return the colour bar of a legend as a drawing. */
function bar(table, steps, ticks) {
  const cells = [];
  for (let at = 0; at < 64; at += 1) {
    const level = 1 + Math.round((at / 63) * (Math.min(steps, 255) - 1));
    cells.push(drawn("rect", { x: (at * 260) / 64, y: 0, width: 260 / 64 + 0.5, height: 8, fill: css(table[level]) }));
  }
  const words = ticks.map(([share, text]) => {
    const anchor = share < 0.04 ? "start" : share > 0.96 ? "end" : "middle";
    return drawn("text", { x: share * 260, y: 20, "text-anchor": anchor }, text);
  });
  return drawn(
    "svg",
    { class: "bar", viewBox: "0 0 260 22", role: "img", "aria-label": "Colour scale" },
    ...cells,
    ...words,
  );
}

function star(x, y, radius) {
  const corners = Array.from({ length: 10 }, (_, at) => {
    const far = at % 2 ? radius * 0.42 : radius;
    const turn = (Math.PI * at) / 5 - Math.PI / 2;
    return `${x + far * Math.cos(turn)} ${y + far * Math.sin(turn)}`;
  });
  return `M${corners.join("L")}Z`;
}
