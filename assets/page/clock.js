// One cursor for everything on the page: a time, and how it moves.
//
// At pace 1 a whole run takes ten seconds, as in the window. Where movement is unwelcome, playing
// goes in a few steps instead.

import { isStill } from "./elements.js";
import { lastAtOrBefore } from "./run.js";

const WHOLE_RUN_MS = 10000;
const STILL_STEPS = 20; // of a whole run, where movement is unwelcome

export class Clock {
  constructor(durationNs) {
    this.duration = durationNs;
    this.now = durationNs;
    this.playing = false;
    this.pace = 1;
    this.frames = 0; // drawn while playing, for who measures
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

  setDuration(durationNs) {
    const ended = this.now >= this.duration;
    this.duration = durationNs;
    this.go(ended ? durationNs : this.now);
  }

  /** Go to the next of rising times, or to the one before. */
  step(stops, forward) {
    this.pause();
    const near = 1e-6 * this.duration;
    const place = forward ? lastAtOrBefore(stops, this.now + near) + 1 : lastAtOrBefore(stops, this.now - near);
    if (place < 0) this.go(0);
    else this.go(place >= stops.length ? this.duration : stops[place]);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.now >= this.duration) this.now = 0;
    this.playing = true;
    this.before = performance.now();
    this.tell();
    requestAnimationFrame((time) => this.frame(time));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  frame(time) {
    if (!this.playing) return;
    const gone = Math.max(time - this.before, 0);
    const least = isStill() ? WHOLE_RUN_MS / STILL_STEPS / this.pace : 0;
    if (gone >= least) {
      this.before = time;
      this.frames += 1;
      this.go(this.now + (gone / WHOLE_RUN_MS) * this.pace * this.duration);
    }
    if (this.now >= this.duration) this.pause();
    else requestAnimationFrame((next) => this.frame(next));
  }
}
