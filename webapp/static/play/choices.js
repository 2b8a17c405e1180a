// Where a card may go, as far as this page can see. It lights up targets and finds the obvious one; the server
// decides.

import { card, isWork, RANKS } from "./cards.js";

const colourOf = (one) => one.red;
const stepsDown = (upper, lower) => lower.rank && upper.rank === lower.rank + 1 && colourOf(upper) !== colourOf(lower);

const faceOf = (one) => one.text.split(".")[0];

// Every target of a card or run: [{ move, target, kind }], kind "foundation", "pile", "space" or "under".
export function targetsOf(places, table, source, count) {
  const cards = places.get(`${table.you}.${source}`), run = cards.slice(-count).map(card);
  if (run.length < count || !run[0]?.rank) return [];
  const whole = isWork(source) && count === cards.length;
  const found = aceWaits(places, table) && run[0].rank !== 1 ? [] : [
    ...(count === 1 ? onFoundations(places, table, source, run[0]) : []),
    ...(isWork(source) && !mayMove(table.rules.move_run, count, whole) ? [] : onWork(places, table, source, run, whole)),
  ];
  return table.rules.aces_forced && run[0].rank === 1 ? found.filter((one) => one.kind === "foundation") : found;
}

const mayMove = (rule, count, whole) => rule === "suffix" || (rule === "whole" ? whole : count === 1);

function aceWaits(places, table) {
  if (!table.rules.aces_forced) return false;
  return sourcesOf(table).some((source) => card(places.top(`${table.you}.${source}`) ?? "P1:").rank === 1);
}

export const sourcesOf = (table) => ["N", "W", ...Array.from({ length: table.work }, (_, at) => String(at + 1))];

function onFoundations(places, table, source, one) {
  const text = `${source}:${faceOf(one)}`;
  if (one.rank === 1) return [{ move: `${text}>F`, target: "F", kind: "foundation" }];
  const found = [];
  for (let number = 1; number <= places.foundations; number += 1) {
    const top = card(places.top(`F${number}`));
    if (top.suit === one.suit && top.rank === one.rank - 1) found.push({ move: `${text}>F${number}`, target: `F${number}`, kind: "foundation" });
  }
  return found;
}

function onWork(places, table, source, run, whole) {
  const found = [], lead = run[0];
  const times = run.length > 1 ? `x${run.length}` : "";
  const piles = Array.from({ length: table.work }, (_, at) => String(at + 1));
  const spaces = piles.filter((pile) => !places.get(`${table.you}.${pile}`).length);
  const mayFill = table.rules.space_fill === "any" || source === "N" || !places.get(`${table.you}.N`).length;
  for (const pile of piles) {
    const there = places.get(`${table.you}.${pile}`);
    if (pile === source) continue;
    if (!there.length) {
      if (mayFill && !whole) found.push({ move: `${source}:${faceOf(lead)}${times}>${pile}`, target: pile, kind: "space" });
    } else if (stepsDown(card(there.at(-1)), lead)) {
      found.push({ move: `${source}:${faceOf(lead)}${times}>${pile}`, target: pile, kind: "pile" });
    } else if (!isWork(source) && maySlide(table.rules, spaces, mayFill) && stepsDown(lead, card(there[0]))) {
      found.push({ move: `${source}:${faceOf(lead)}<${pile}`, target: pile, kind: "under" });
    }
  }
  return found;
}

const maySlide = (rules, spaces, mayFill) =>
  rules.slide_under === "without_space" || (rules.slide_under === "with_space" && spaces.length > 0 && mayFill);

// The one target somebody means who only taps the card; null if there are several to choose from.
export function obvious(targets) {
  const of = (kind) => targets.filter((one) => one.kind === kind);
  if (of("foundation").length) return of("foundation")[0];
  const real = [...of("pile"), ...of("under")];
  if (real.length === 1 && (real[0].kind === "pile" || !of("space").length)) return real[0];
  // One space is as good as another.
  return real.length === 0 ? of("space")[0] ?? null : null;
}

// The run a target pile would take from a work pile: how many cards, or 0.
export function runFor(places, table, source, target) {
  const length = places.get(`${table.you}.${source}`).length;
  for (let count = 1; count <= length; count += 1) {
    if (targetsOf(places, table, source, count).some((one) => one.target === target)) return count;
  }
  return 0;
}

// What the stock button does now: "turn", "redeal", "rotate" or null.
export function stockMove(places, table) {
  const stock = places.get(`${table.you}.S`).length, waste = places.get(`${table.you}.W`).length, { turn, leftover } = table.rules;
  if (stock >= turn || (stock && (leftover === "flip" || stock + waste < turn))) return "turn";
  return waste ? "redeal" : null;
}

// Every play that is open now, for "show me": plays between work piles only where they uncover something.
export function playsOf(places, table) {
  return sourcesOf(table).flatMap((source) => {
    const length = isWork(source) ? places.get(`${table.you}.${source}`).length : 1;
    const found = [];
    for (let count = 1; count <= length; count += 1) found.push(...targetsOf(places, table, source, count).map((one) => ({ ...one, source, count })));
    return found.filter((one) => one.kind !== "space" || !isWork(source));
  });
}

// Which foundation a card in the air is most likely meant for.
export function likelyFoundation(places, id, slots) {
  const one = card(id);
  const count = places.foundations;
  if (one.rank === 1) return `F${Math.min(count + 1, slots)}`;
  for (let number = 1; number <= count; number += 1) {
    const top = card(places.top(`F${number}`));
    if (top.suit === one.suit && (top.rank === one.rank - 1 || top.rank === one.rank)) return `F${number}`;
  }
  return null;
}

export const rankName = (rank) => RANKS[rank - 1];
