// The matrix of a run from many sources: a row for each source, dark is near.

import { blended, COVERS, tableFor } from "./colour.js";
import { colours, element } from "./elements.js";
import { plainNumber, thousands } from "./words.js";

const LATE_ROW = 4294967295; // ns: a row that was never finished

export class MatrixView {
  constructor(run, clock) {
    Object.assign(this, { run, clock, matrix: run.matrix });
    this.canvas = element("canvas", {
      width: run.matrix.columns,
      height: run.matrix.rows,
      class: "matrix",
      role: "img",
    });
    const [high, wide] = run.matrix.whole;
    const size = `${thousands(high)} × ${thousands(wide)} distances`;
    this.canvas.setAttribute("aria-label", `Matrix of ${size}`);
    const letter = run.letter ? element("span", { class: `letter ${run.letter}` }, run.letter) : null;
    this.legend = element(
      "figcaption",
      { class: "legend" },
      element(
        "span",
        { class: "legend-title" },
        `${size}: a row for each source, dark is near (0 to ${plainNumber(run.matrix.top)}); grey: not there yet, or unreached`,
      ),
    );
    this.root = element(
      "figure",
      { class: "map" },
      element("div", { class: "map-head" }, element("h3", {}, letter, run.title)),
      element("div", { class: "field square" }, this.canvas),
      this.legend,
    );
    clock.watch(() => this.draw());
  }

  recolour() {
    this.table = null;
    this.draw();
  }

  draw() {
    if (!this.root.isConnected) {
      requestAnimationFrame(() => this.root.isConnected && this.draw());
      return;
    }
    if (!this.table) {
      const theme = colours(this.root);
      this.table = blended(tableFor("distance", theme), theme.plot).slice((COVERS - 1) * 256);
    }
    const { rows, columns, levels, done } = this.matrix;
    const now = this.run.fromA(this.clock.now);
    const image = new ImageData(columns, rows);
    const words = new Uint32Array(image.data.buffer);
    for (let row = 0; row < rows; row += 1) {
      const ready = !done || (done[row] !== LATE_ROW && done[row] >= 0 && done[row] <= now);
      for (let at = row * columns; at < (row + 1) * columns; at += 1) words[at] = this.table[ready ? levels[at] : 0];
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }
}
