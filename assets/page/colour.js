// Colour tables of 256 entries, index 0 for what is unreached.

const VIRIDIS =
  "440154 471365 482374 46327e 424186 3c4f8a 365c8d 31688e 2c738e 277f8e 238a8d 1f968b 1fa187 " +
  "26ad81 35b779 4ac16d 63cb5f 7fd34e a0da39 c0df25 dfe318 fde725";
export const LEVELS = 254; // steps of a map: indices 1 to 255
const UNREACHED_INK = 0.25; // of the text colour, in the paper
const PLAIN_INK = 0.62; // of the text colour: vertices while there is no run to colour by
const HEAT_TOP = 31; // log2 of the largest count that a heat index stands for

/** Return 256 colours for a way of colouring. */
export function tableFor(way, theme) {
  const [paper, text] = [channels(theme.plot), channels(theme.text)];
  const [low, high] = theme.range;
  let table;
  if (way === "processed") table = ramp(theme.heat, 0.22, 1, 255);
  else if (way === "state") table = [channels(theme.tentative), ...Array(254).fill(channels(theme.settled))];
  else if (way === "plain") table = Array(255).fill(mixed(paper, text, PLAIN_INK));
  else table = ramp(VIRIDIS.split(" "), low, high, 255);
  return [mixed(paper, text, UNREACHED_INK), ...table];
}

/** Return 256 colours of bucket sizes: the paper for none, then the ramp from 1 up to `peak`. */
export function heatTable(theme, peak) {
  const rising = ramp(theme.heat, 0, 1, Math.max(heatIndex(peak), 2));
  const above = Array(255 - rising.length).fill(rising[rising.length - 1]);
  return [channels(theme.plot), ...rising, ...above];
}

/** Return the heat index of a count: 0 for none, else 1..255 by its logarithm. */
export function heatIndex(count) {
  if (count <= 0) return 0;
  return Math.floor(1 + Math.min(Math.log2(count) * (LEVELS / HEAT_TOP), LEVELS));
}

/** Return "rgb(...)" of channels. */
export function css(colour) {
  return `rgb(${colour.map(Math.round).join(" ")})`;
}

/** Return [red, green, blue] of "#rrggbb" or "rrggbb". */
export function channels(colour) {
  const digits = colour.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

/** Return `count` colours: the part low..high (0..1) of evenly spaced stops. */
function ramp(stops, low, high, count) {
  const ends = stops.map(channels);
  return Array.from({ length: count }, (_, at) => {
    const place = (low + ((high - low) * at) / Math.max(count - 1, 1)) * (ends.length - 1);
    const below = Math.min(Math.floor(place), ends.length - 2);
    return mixed(ends[below], ends[below + 1], place - below);
  });
}

/** Return `first` with `share` of `second` mixed in, as channels. */
function mixed(first, second, share) {
  return first.map((channel, at) => Math.round(channel + (second[at] - channel) * share));
}
