// Whether an answer is right. No page, no elements.

/** Whether an answer counts as right, by what the engine computed. */
export function isRight(question, answer) {
  if (question.times) return curveScore(answer, question.times) >= question.enough;
  if (question.places) return question.places.includes(answer);
  const room = question.tolerance * Math.max(Math.abs(question.value), 1e-12) + 1e-12;
  return Math.abs(answer - question.value) <= room;
}

/** Return the rank correlation, -1..1, of heights with times. */
export function curveScore(heights, times) {
  if (heights.length !== times.length || times.length < 2) return -1;
  const [first, second] = [ranks(heights), ranks(times)];
  const mean = (times.length - 1) / 2;
  let [both, one, other] = [0, 0, 0];
  for (let at = 0; at < times.length; at += 1) {
    both += (first[at] - mean) * (second[at] - mean);
    one += (first[at] - mean) ** 2;
    other += (second[at] - mean) ** 2;
  }
  return both / Math.sqrt(one * other);
}

/** Return the place of each value in the order of all, equal ones in turn. */
function ranks(values) {
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
  const places = new Array(values.length);
  order.forEach((at, rank) => (places[at] = rank));
  return places;
}
