// What lies where: the confirmed state folded from the server's changes, and the own moves that are not yet
// confirmed laid over it.

import { card, isWork, physical } from "./cards.js";

const NONE = Object.freeze([]);

export class Places {
  constructor(from = {}) {
    this.cards = new Map(Object.entries(from));
  }

  copy() {
    const twin = new Places();
    twin.cards = new Map(this.cards);
    return twin;
  }

  get(place) {
    return this.cards.get(place) ?? NONE;
  }

  top(place) {
    return this.get(place).at(-1) ?? null;
  }

  // Lays a change over what is here. Lists are never altered in place, so copies may share them.
  fold(change) {
    for (const [place, cards] of Object.entries(change)) this.cards.set(place, cards);
    return this;
  }

  get foundations() {
    let count = 0;
    while (this.get(`F${count + 1}`).length) count += 1;
    return count;
  }
}

const PLAY = /^(N|W|\d+):([^x<>:]+?)(?:x(\d+))?([<>])(F\d*|\d+)$/;

// A move as it is written, without the seat: { source, face, count, under, target }; null for words like "turn".
export function readMove(text) {
  const found = PLAY.exec(text);
  if (!found) return null;
  return { source: found[1], face: found[2], count: Number(found[3] ?? 1), under: found[4] === "<", target: found[5] };
}

// Lays a move that is on its way to the server over a copy of the places. Returns false where it no longer fits
// what is there: the server's answer decides then.
export function foresee(places, seat, text, rules) {
  if (text === "turn") return turn(places, seat, rules);
  if (text === "redeal") return redeal(places, seat);
  const move = readMove(text);
  return move ? carry(places, seat, move) : true;
}

function turn(places, seat, rules) {
  const stock = places.get(`${seat}.S`);
  if (!stock.length) return false;
  const count = Math.min(rules.turn, stock.length);
  places.fold({ [`${seat}.S`]: stock.slice(0, -count), [`${seat}.W`]: [...places.get(`${seat}.W`), ...stock.slice(-count).reverse()] });
  return true;
}

function redeal(places, seat) {
  const stock = places.get(`${seat}.S`), waste = places.get(`${seat}.W`);
  if (!waste.length) return false;
  places.fold({ [`${seat}.S`]: [...waste, ...[...stock].reverse()].reverse(), [`${seat}.W`]: [] });
  return true;
}

function carry(places, seat, move) {
  const from = `${seat}.${move.source}`, cards = places.get(from);
  const moved = cards.slice(-move.count);
  const face = move.face.split("=")[0];
  if (moved.length < move.count || card(moved[0]).text.split("=")[0].split(".")[0] !== face) return false;
  if (isWork(move.target)) {
    const target = `${seat}.${move.target}`, there = places.get(target);
    places.fold({ [from]: cards.slice(0, -move.count), [target]: move.under ? [...moved, ...there] : [...there, ...moved] });
  } else {
    // In the air until the server has judged it; beneath it nothing is turned up yet.
    places.fold({ [from]: cards.slice(0, -1), [`${seat}.A`]: [...places.get(`${seat}.A`), moved[0]] });
  }
  return true;
}

// Whether a physical card lies in a place.
export const holds = (places, place, id) => places.get(place).some((one) => physical(one) === physical(id));
