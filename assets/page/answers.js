// Answers: what was given, whether it is right, how far somebody is. No page, no elements.

/** Whether an answer counts as right, by what the engine computed. */
export function isRight(question, given) {
  if (question.times) return curveScore(given, question.times) >= question.enough;
  if (question.places) return question.places.includes(given);
  const room = question.tolerance * Math.max(Math.abs(question.value), 1e-12) + 1e-12;
  return Math.abs(given - question.value) <= room;
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

/** How far somebody is in a lesson; `state()` is plain JSON and can be read again. */
export class Progress {
  constructor(steps) {
    this.steps = steps;
    this.asked = steps.filter((step) => step.question);
    this.place = 0;
    this.answers = {};
  }

  answer(step, given) {
    const right = isRight(step.question, given);
    this.answers[step.key] = { given, right };
    return right;
  }

  get right() {
    return this.asked.filter((step) => this.answers[step.key]?.right).length;
  }

  state() {
    return { step: this.place, answers: this.answers };
  }

  /** Take a state that was kept somewhere: whatever does not fit is left out, and judged again. */
  restore(state) {
    if (state === null || typeof state !== "object") return;
    const kept = state.answers !== null && typeof state.answers === "object" ? state.answers : {};
    this.answers = {};
    for (const step of this.asked) {
      const given = kept[step.key]?.given;
      if (fits(step.question, given)) this.answer(step, given);
    }
    const place = Number.isInteger(state.step) ? state.step : 0;
    this.place = Math.min(Math.max(place, 0), this.steps.length - 1);
  }
}

function fits(question, given) {
  if (question.times)
    return Array.isArray(given) && given.length === question.times.length && given.every(Number.isFinite);
  return Number.isFinite(given);
}

/** Return the place of each value in the order of all, equal ones in turn. */
function ranks(values) {
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
  const found = new Array(values.length);
  order.forEach((at, rank) => (found[at] = rank));
  return found;
}
