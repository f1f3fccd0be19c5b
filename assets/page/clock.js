// One cursor for everything on the page: a time, and how it moves.
//
// A whole run takes ten seconds, as in the window. Where movement is unwelcome, playing goes in a
// few steps instead.

import { isStill } from "./elements.js";
import { lastAtOrBefore } from "./run.js";

const WHOLE_RUN_MS = 10000;
const STILL_STEPS = 20; // of a whole run, where movement is unwelcome

export class Clock {
  constructor(durationNs) {
    this.duration = durationNs;
    this.now = durationNs;
    this.playing = false;
    this.watchers = [];
  }

  /** Call `show(now)` whenever the cursor moves or playing begins or ends. */
  watch(show) {
    this.watchers.push(show);
    show(this.now);
  }

  tell() {
    for (const show of this.watchers) show(this.now);
  }

  go(ns) {
    this.now = Math.min(Math.max(ns, 0), this.duration);
    this.tell();
  }

  /** Stop playing and go to a time. */
  jump(ns) {
    this.playing = false;
    this.go(ns);
  }

  /** Go to the next of rising times, or to the one before. */
  step(stops, forward) {
    const near = 1e-6 * this.duration;
    const place = forward ? lastAtOrBefore(stops, this.now + near) + 1 : lastAtOrBefore(stops, this.now - near);
    this.jump(place < 0 ? 0 : (stops[place] ?? this.duration));
  }

  toggle() {
    if (this.playing) this.jump(this.now);
    else this.play();
  }

  play() {
    if (this.now >= this.duration) this.now = 0;
    this.playing = true;
    this.before = performance.now();
    this.tell();
    requestAnimationFrame((time) => this.frame(time));
  }

  frame(time) {
    if (!this.playing) return;
    const gone = Math.max(time - this.before, 0);
    const least = isStill() ? WHOLE_RUN_MS / STILL_STEPS : 0;
    if (gone >= least) {
      this.before = time;
      this.go(this.now + (gone / WHOLE_RUN_MS) * this.duration);
    }
    if (this.now >= this.duration) this.jump(this.now);
    else requestAnimationFrame((next) => this.frame(next));
  }
}
