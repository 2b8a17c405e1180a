// Small clicks, only where somebody switched them on. Nothing is loaded: they are made when they sound.

import { preferences } from "./preferences.js";

// Pitch in hertz, length in seconds, loudness.
const SOUNDS = { turn: [520, 0.04, 0.1], place: [320, 0.05, 0.16], out: [760, 0.09, 0.16], refused: [150, 0.14, 0.2], call: [980, 0.3, 0.2] };

let context = null;

export function sound(name) {
  if (!preferences.get("sound")) return;
  const [pitch, length, loudness] = SOUNDS[name];
  context ??= new AudioContext();
  const tone = context.createOscillator(), volume = context.createGain(), now = context.currentTime;
  tone.type = "triangle";
  tone.frequency.setValueAtTime(pitch, now);
  tone.frequency.exponentialRampToValueAtTime(pitch * 0.6, now + length);
  volume.gain.setValueAtTime(loudness, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + length);
}
