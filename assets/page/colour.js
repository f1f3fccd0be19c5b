// Colour tables of 256 entries, index 0 for what is unreached, and the same mixed with the paper.

export const VIRIDIS =
  "440154 471365 482374 46327e 424186 3c4f8a 365c8d 31688e 2c738e 277f8e 238a8d 1f968b 1fa187 " +
  "26ad81 35b779 4ac16d 63cb5f 7fd34e a0da39 c0df25 dfe318 fde725";
export const PLASMA =
  "0d0887 2a0593 3f049c 5302a3 6700a8 7a02a8 8b0aa5 9c179e ab2494 b83289 c5407e d14e72 db5c68 " +
  "e56a5d ed7953 f48849 f9983e fca934 febd2a fcd025 f7e425 f0f921";
export const LEVELS = 254; // steps of a map: indices 1 to 255
export const COVERS = 16; // levels of coverage of a pixel
const UNREACHED_INK = 0.25; // of the text colour, in the paper
const PLAIN_INK = 0.62; // of the text colour: vertices while there is no run to colour by
const ARC_INK = 0.3; // of the text colour: the grey layer where it is densest
const BAND_INK = 0.3; // of the paper: every second bucket is paler
const HEAT_TOP = 31; // log2 of the largest count that a heat index stands for

/** Return [red, green, blue] of "#rrggbb" or "rrggbb". */
export function channels(colour) {
  const digits = colour.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

/** Return `first` with `share` of `second` mixed in, as channels. */
export function mixed(first, second, share) {
  return first.map((channel, at) => Math.round(channel + (second[at] - channel) * share));
}

/** Return "rgb(...)" of channels. */
export function css(colour) {
  return `rgb(${colour.map(Math.round).join(" ")})`;
}

/** Return `count` colours: the part low..high (0..1) of evenly spaced stops. */
export function ramp(stops, low, high, count) {
  const ends = stops.map(channels);
  const found = [];
  for (let at = 0; at < count; at += 1) {
    const share = low + ((high - low) * at) / Math.max(count - 1, 1);
    const place = share * (ends.length - 1);
    const below = Math.min(Math.floor(place), ends.length - 2);
    found.push(mixed(ends[below], ends[below + 1], place - below));
  }
  return found;
}

/** Return 256 colours for a way of colouring; `steps`: the map ends at this index. */
export function tableFor(way, theme, steps = 255) {
  const paper = channels(theme.plot);
  const [low, high] = theme.range;
  const stretched = (stops, from, to) => {
    const few = ramp(stops, from, to, Math.max(1, Math.min(steps, 255)));
    return [...few, ...Array(255 - few.length).fill(few[few.length - 1])];
  };
  let found;
  if (way === "settled_time") found = stretched(PLASMA.split(" "), low, high);
  else if (way === "processed") found = stretched(theme.heat, 0.22, 1);
  else if (way === "state") found = [channels(theme.tentative), ...Array(254).fill(channels(theme.settled))];
  else if (way === "plain") found = Array(255).fill(mixed(paper, channels(theme.text), PLAIN_INK));
  else found = stretched(VIRIDIS.split(" "), low, high);
  if (way === "bucket") found = found.map((one, at) => (at % 2 ? mixed(one, paper, BAND_INK) : one));
  return [mixed(paper, channels(theme.text), UNREACHED_INK), ...found];
}

/** Return Uint32 (COVERS * 256): the table at each level of coverage, as canvas pixels. */
export function blended(table, plot) {
  const paper = channels(plot);
  const found = new Uint32Array(COVERS * 256);
  for (let level = 0; level < COVERS; level += 1) {
    for (let at = 0; at < 256; at += 1) {
      found[level * 256 + at] = pixel(mixed(paper, table[at], level / (COVERS - 1)));
    }
  }
  return found;
}

/** Return the shades of the grey layer, COVERS of them, lightest first, as canvas pixels. */
export function shades(theme) {
  const paper = channels(theme.plot);
  const ink = mixed(paper, channels(theme.text), ARC_INK);
  return Uint32Array.from({ length: COVERS }, (_, at) => pixel(mixed(paper, ink, at / (COVERS - 1))));
}

/** Return a colour as the four bytes of a canvas, red first in memory. */
export function pixel([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Return the heat index of a count: 0 for none, else 1..255 by its logarithm. */
export function heatIndex(count) {
  if (count <= 0) return 0;
  return Math.floor(1 + Math.min(Math.log2(count) * (LEVELS / HEAT_TOP), LEVELS));
}

/** Return 256 colours of bucket sizes: the paper for none, then the ramp from 1 up to `peak`. */
export function heatTable(theme, peak) {
  const top = Math.max(heatIndex(peak), 2);
  const stops = theme.heat.map(channels);
  const found = [channels(theme.plot)];
  for (let at = 1; at < 256; at += 1) {
    const share = Math.min((at - 1) / (top - 1), 1) * (stops.length - 1);
    const below = Math.min(Math.floor(share), stops.length - 2);
    found.push(mixed(stops[below], stops[below + 1], share - below));
  }
  return found;
}
