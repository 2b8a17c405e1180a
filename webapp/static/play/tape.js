// A recorded round as a tape: where all cards lay at any moment.

import { Places } from "./state.js";

const EVERY = 40;

export class Tape {
  // `frames`: [{ at, change, record }, …] in order of time, the first from nothing.
  constructor(frames) {
    this.frames = frames;
    this.marks = [];
    const places = new Places();
    frames.forEach((frame, number) => {
      places.fold(frame.change);
      if (number % EVERY === 0) this.marks.push(places.copy());
    });
    this.last = places;
    this.isSpoken = frames.some((frame) => frame.record);
  }

  // The number of the last frame at or before a moment.
  numberAt(moment) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].at <= moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Where all cards lie after a frame.
  placesAt(number) {
    const mark = Math.floor(number / EVERY), places = this.marks[mark].copy();
    for (let next = mark * EVERY + 1; next <= number; next += 1) places.fold(this.frames[next].change);
    return places;
  }

  // The last thing done up to a frame; null at the beginning.
  recordAt(number) {
    for (let at = number; at > 0; at -= 1) if (this.frames[at].record) return this.frames[at].record;
    return null;
  }

  // The next frame in a direction with something done in it; the ends of the tape where there is none.
  step(number, direction) {
    let next = number + direction;
    while (this.isSpoken && next > 0 && next < this.frames.length - 1 && !this.frames[next].record) next += direction;
    return Math.min(this.frames.length - 1, Math.max(0, next));
  }
}
