// The matrix of a run from many sources: a row for each source, dark is near.

import { tableFor } from "./colour.js";
import { colours, element } from "./elements.js";
import { titleOf } from "./map.js";
import { plainNumber, thousands } from "./words.js";

const LATE = 4294967295; // ns: a row that was never finished

export class MatrixView {
  constructor(run, clock) {
    Object.assign(this, { run, clock });
    const { rows, columns, whole, top } = run.matrix;
    const size = `${thousands(whole[0])} × ${thousands(whole[1])} distances`;
    this.canvas = element("canvas", {
      width: columns,
      height: rows,
      class: "matrix",
      role: "img",
      "aria-label": `Matrix of ${size}`,
    });
    const range = `dark is near (0 to ${plainNumber(top)}); grey: not there yet, or unreached`;
    const words = `${size}: a row for each source, ${range}`;
    this.root = element(
      "figure",
      { class: "map" },
      element("div", { class: "map-head" }, titleOf(run)),
      element("div", { class: "field square" }, this.canvas),
      element("figcaption", { class: "legend" }, element("span", { class: "legend-title" }, words)),
    );
    this.recolour();
    clock.watch(() => this.draw());
  }

  recolour() {
    this.table = tableFor("distance", colours());
    this.draw();
  }

  draw() {
    const { rows, columns, levels, done } = this.run.matrix;
    const image = new ImageData(columns, rows);
    for (let row = 0; row < rows; row += 1) {
      const isReady = !done || (done[row] !== LATE && done[row] >= 0 && done[row] <= this.clock.now);
      for (let at = row * columns; at < (row + 1) * columns; at += 1)
        image.data.set([...this.table[isReady ? levels[at] : 0], 255], 4 * at);
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }
}
