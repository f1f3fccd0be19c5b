// Pixels from vertices: a map made once per view, a gather per frame.
//
// Every vertex is drawn once as a disc, every arc once as a line whose two halves belong to its two
// ends, into a pixel -> vertex map. A frame looks each inked pixel's vertex up in a colour table:
// its cost is the number of inked pixels, whatever the size of the graph. In a hairball lines would
// hide the vertices: there they go to a grey layer behind the discs.

import { COVERS } from "./colour.js";

const MAP_INK = 4; // inked pixels per pixel of the picture, above which lines are a grey layer
const DENSE_ARCS = 40000; // arcs at most in the grey layer
const DENSE = 0.9; // pixels between vertices; below, each is one pixel

/**
 * Return {pixel, owner, cover, grey, radius}: for each inked pixel its place, vertex and level of
 * coverage; `grey` is a level per pixel of the picture, or null.
 *
 * x, y: pixels of each vertex, NaN where it has no place; ratio: device pixels per CSS pixel.
 */
export function pixelMap({ x, y, tails, heads, width, height, ratio }) {
  const spacing = Math.sqrt((width * height) / Math.max(x.length, 1)) / ratio;
  const length = meanLength(x, y, tails, heads) / ratio;
  const ink = (length * tails.length * ratio * ratio * 1.5) / (width * height);
  const lines = tails.length > 0 && ink <= MAP_INK;
  const line = Math.min(Math.max(0.22 * spacing, 1.1), 2.2);
  let radius = Math.min(Math.max((lines ? 0.14 : 0.32) * spacing, lines ? 0.5 * line : 1), 6);
  if (spacing <= DENSE) radius = 0.5;
  const layer = new Layer(width, height);
  if (lines) {
    for (let arc = 0; arc < tails.length; arc += 1) {
      layer.line(
        x[tails[arc]],
        y[tails[arc]],
        x[heads[arc]],
        y[heads[arc]],
        (line * ratio) / 2,
        tails[arc],
        heads[arc],
      );
    }
  }
  for (let vertex = 0; vertex < x.length; vertex += 1) layer.disc(x[vertex], y[vertex], radius * ratio, vertex);
  const grey = lines || !tails.length ? null : density(x, y, tails, heads, width, height);
  return { ...layer.inked(), grey, radius };
}

/** One picture's owner and coverage of each pixel; the larger coverage keeps a pixel. */
class Layer {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.cover = new Uint8Array(width * height);
    this.owner = new Int32Array(width * height);
  }

  put(column, row, share, owner) {
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return;
    const level = Math.round(Math.min(share, 1) * (COVERS - 1));
    const at = row * this.width + column;
    if (level > 0 && level >= this.cover[at]) {
      this.cover[at] = level;
      this.owner[at] = owner;
    }
  }

  line(x0, y0, x1, y1, half, first, second) {
    const across = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
    const [a0, b0, a1, b1] = across ? [x0, y0, x1, y1] : [y0, x0, y1, x1];
    const long = Math.abs(a1 - a0);
    if (!(long > 0.3) || !Number.isFinite(b0 + b1)) return;
    const slope = (b1 - b0) / (a1 - a0);
    const steep = 1 / Math.hypot(1, slope); // from a distance along b to one across the line
    const reach = Math.ceil(half / steep + 0.5);
    const limit = across ? this.width : this.height;
    const begin = Math.max(Math.floor(Math.min(a0, a1)), 0);
    const end = Math.min(Math.floor(Math.max(a0, a1)), limit - 1);
    const middle = (a0 + a1) / 2;
    for (let a = begin; a <= end; a += 1) {
      const at = Math.min(Math.max(a + 0.5, Math.min(a0, a1)), Math.max(a0, a1));
      const b = b0 + (at - a0) * slope;
      const owner = at < middle === a0 < a1 ? first : second;
      for (let place = Math.floor(b) - reach; place <= Math.floor(b) + reach; place += 1) {
        const share = half + 0.5 - Math.abs(place + 0.5 - b) * steep;
        if (share > 0) this.put(across ? a : place, across ? place : a, share, owner);
      }
    }
  }

  disc(x, y, radius, owner) {
    if (!Number.isFinite(x + y)) return;
    if (radius <= 0.75) {
      this.put(Math.floor(x), Math.floor(y), 1, owner);
      return;
    }
    const reach = Math.ceil(radius + 0.5);
    for (let row = Math.floor(y) - reach; row <= Math.floor(y) + reach; row += 1) {
      for (let column = Math.floor(x) - reach; column <= Math.floor(x) + reach; column += 1) {
        const share = radius + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y);
        if (share > 0) this.put(column, row, share, owner);
      }
    }
  }

  inked() {
    let count = 0;
    for (const level of this.cover) if (level) count += 1;
    const found = { pixel: new Int32Array(count), owner: new Int32Array(count), cover: new Uint8Array(count) };
    let place = 0;
    this.cover.forEach((level, at) => {
      if (!level) return;
      found.pixel[place] = at;
      found.owner[place] = this.owner[at];
      found.cover[place] = level;
      place += 1;
    });
    return found;
  }
}

function meanLength(x, y, tails, heads) {
  const step = Math.max(1, Math.floor(tails.length / 20000));
  let total = 0;
  let count = 0;
  for (let arc = 0; arc < tails.length; arc += step) {
    const length = Math.hypot(x[tails[arc]] - x[heads[arc]], y[tails[arc]] - y[heads[arc]]);
    if (Number.isFinite(length)) {
      total += length;
      count += 1;
    }
  }
  return count ? total / count : 0;
}

/** Return a level 0..15 per pixel: how many lines run through it. */
function density(x, y, tails, heads, width, height) {
  const found = new Float32Array(width * height);
  const step = Math.max(1, Math.floor(tails.length / DENSE_ARCS));
  for (let arc = 0; arc < tails.length; arc += step) {
    const [x0, y0, x1, y1] = [x[tails[arc]], y[tails[arc]], x[heads[arc]], y[heads[arc]]];
    const steps = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)));
    if (!(steps > 0)) continue;
    for (let at = 0; at <= steps; at += 1) {
      const column = Math.floor(x0 + ((x1 - x0) * at) / steps);
      const row = Math.floor(y0 + ((y1 - y0) * at) / steps);
      if (column >= 0 && row >= 0 && column < width && row < height) found[row * width + column] += 1;
    }
  }
  const inked = found.filter((value) => value > 0).sort();
  const most = inked.length ? inked[Math.floor(0.9 * (inked.length - 1))] : 1;
  return Uint8Array.from(found, (value) => Math.round(Math.sqrt(Math.min(value / most, 1)) * (COVERS - 1)));
}
