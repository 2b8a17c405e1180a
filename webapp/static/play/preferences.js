// What this browser remembers of how somebody likes to play: colours of suits, sound.

import { useColours } from "./faces.js";

const KEY = "nerts-play";

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // Storage is off or holds something else: then nothing is remembered.
  }
}

class Preferences {
  constructor() {
    this.values = { four: false, sound: false, ...read() };
    this.listeners = [];
    useColours(this.values.four ? "four" : "two");
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    useColours(this.values.four ? "four" : "two");
    try {
      localStorage.setItem(KEY, JSON.stringify(this.values));
    } catch {
      // It holds for this page, then.
    }
    for (const listener of this.listeners) listener(name);
  }

  listen(listener) {
    this.listeners.push(listener);
  }
}

export const preferences = new Preferences();
