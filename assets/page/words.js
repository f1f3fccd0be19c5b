// Numbers as people read them: what gpu/words.py says, in the page's language.

const UNITS = [
  { word: "ns", factor: 1 },
  { word: "µs", factor: 1e-3 },
  { word: "ms", factor: 1e-6 },
  { word: "s", factor: 1e-9 },
];
const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** Return the unit in which a time is from 1 to below 1000, as far as units go. */
export function timeUnit(largestNs) {
  let chosen = UNITS[0];
  for (const unit of UNITS) if (Math.abs(largestNs) * unit.factor >= 0.9995) chosen = unit;
  return chosen;
}

/** Return the number alone, with as many decimals as `likeNs` asks for. */
export function timeNumber(timeNs, unit, likeNs = timeNs) {
  const value = timeNs * unit.factor;
  if (unit.factor === 1) return value.toFixed(0);
  const size = Math.abs(likeNs * unit.factor);
  return value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1);
}

/** Return "1.23 ms". */
export function timeWords(timeNs, likeNs = timeNs) {
  const unit = timeUnit(likeNs);
  return `${timeNumber(timeNs, unit, likeNs)} ${unit.word}`;
}

/** Return at most four characters of digits and a prefix: 950, 1.2k, 34k, 5.6M, 0.25. */
export function short(number) {
  const size = Math.abs(number);
  for (const [factor, prefix] of PREFIXES) {
    if (size >= factor * 0.9995) return `${digits(number / factor)}${prefix}`;
  }
  if (size >= 0.01 || size === 0) return digits(number);
  return number.toExponential(0);
}

/** Return a whole number with separators: 1,234,567. */
export function thousands(number) {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Return a value to six digits, without zeros at its end: what "%g" writes. */
export function plainNumber(value) {
  if (!Number.isFinite(value)) return "∞";
  return Number.isInteger(value) ? thousands(value) : String(Number(value.toPrecision(6)));
}

/** Return 3 to 6 round numbers from 0 to at most `top`: 1, 2 or 5 times a power of ten. */
export function tickValues(top, most = 5) {
  if (!(top > 0 && top < Infinity)) return [0];
  const power = 10 ** Math.floor(Math.log10(top / most));
  const step = [1, 2, 5, 10].map((by) => power * by).find((by) => top / by <= most);
  const ticks = [];
  for (let k = 0; k <= Math.floor((top / step) * (1 + 1e-12)); k += 1) {
    ticks.push(Number((step * k).toPrecision(12)));
  }
  return ticks;
}

/** Return the least "round" number not below a value: where an axis ends. */
export function niceCeiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((by) => by * power).find((by) => by >= value);
}

function digits(number) {
  const size = Math.abs(number);
  const text = number.toFixed(size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
