// Card faces and backs, drawn by this project (AGPL-3.0-or-later like the rest): SVG made here, kept as images.
//
// A card is 100 by 140 units. Three sizes are drawn, since a picture that is clear in the hand is mud when it is
// 20 pixels wide: "full" (own layout), "small" (foundations), "tiny" (other seats).

import { RANKS, SUITS } from "./cards.js";

const WIDTH = 100, HEIGHT = 140;

// Ranks as strokes on a field 20 wide and 28 high; [path, width].
const STROKES = {
  A: ["M1 27 9.5 1.5h1L19 27M4.6 18.5h10.8", 20],
  2: ["M2.5 8.5C2.5 4 5.5 1.5 10 1.5s7.5 2.6 7.5 7c0 6.5-14 11-15.5 18.5h16", 20],
  3: ["M2.5 1.5h14.5L9.5 11c5.5-.6 8.5 3 8.5 7.5 0 5-3.4 8.5-8.3 8.5-4 0-6.7-2-7.7-5.5", 20],
  4: ["M14.5 27V1.500L1.5 19.500h17.5", 20],
  5: ["M16.5 1.500H4.800L3.6 12.500c5.5-3.4 14.4-1.5 14.4 6.5 0 5-3.5 8-8.2 8-3.8 0-6.6-1.8-7.8-5", 20],
  6: ["M16 4.500C12-.5 2.5.5 2.5 15.500c0 7 3 11.5 7.8 11.500s7.7-3.5 7.7-8.2-3-7.8-7.5-7.8-7.4 3-8 6", 20],
  7: ["M2 1.500h16C13 10 9.5 18 8.5 27", 20],
  8: ["M10 12.800c-4 0-6.5-2.4-6.5-5.600S6 1.5 10 1.500s6.5 2.5 6.5 5.7-2.5 5.6-6.5 5.600zm0 0c-4.7 0-8 2.9-8 7s3.3 7.2 8 7.2 8-3.1 8-7.2-3.3-7-8-7z", 20],
  9: ["M4 23.500C8 28.5 17.5 27.5 17.5 12.5 17.5 5.5 14.5 1.5 9.8 1.500S2 4.8 2 9.500s3 7.8 7.5 7.8 7.4-3 8-6", 20],
  10: ["M1 5.5 5.5 1.500V27M20 1.500c-4.6 0-7 4.5-7 12.700S15.4 27 20 27s7-4.5 7-12.8-2.4-12.7-7-12.700z", 28],
  J: ["M15.5 1.500v17.500c0 5-2.6 8-6.8 8-3.7 0-6.2-2-7-5.500M9 1.500h9.5", 20],
  Q: ["M10 1.500c-5 0-8.5 4.5-8.5 12.700S5 27 10 27s8.5-4.5 8.5-12.800S15 1.5 10 1.500zM11.5 19.500l7 8", 20],
  K: ["M3 1.500V27M17.5 1.5 3.5 16.500M8.5 11.5 18.5 27", 20],
};

// Suits on a field 20 by 20.
const SHAPES = {
  C: "M10 .8a4.7 4.7 0 0 0-3.9 7.3 4.7 4.7 0 1 0 2.7 8.300C8.6 17.8 7.9 18.7 6.5 19.300h7c-1.4-.6-2.1-1.5-2.3-2.900a4.7 4.7 0 1 0 2.7-8.300A4.7 4.7 0 0 0 10 .8z",
  D: "M10 .3C11.8 3.6 14.3 7 17.3 10 14.3 13 11.8 16.4 10 19.7 8.2 16.4 5.7 13 2.7 10 5.7 7 8.2 3.6 10 .3z",
  H: "M10 19.300C8.6 15.8 1 11.8 1 6A4.9 4.9 0 0 1 10 3.4 4.9 4.9 0 0 1 19 6c0 5.8-7.6 9.8-9 13.300z",
  S: "M10 .5c1.6 3.3 8.7 6.7 8.7 11.600a4 4 0 0 1-7.3 2.300c.1 2.3.8 3.9 2.6 5.100H6c1.8-1.2 2.5-2.8 2.6-5.100a4 4 0 0 1-7.3-2.300C1.3 7.2 8.4 3.8 10 .5z",
};

const INK = { two: { C: "#15201c", S: "#15201c", D: "#b9121f", H: "#b9121f" },
  four: { C: "#0d6b3c", S: "#15201c", D: "#1151b8", H: "#b9121f" } };

const PAPER = "#fffdf8", EDGE = "#b9b3a4";

const rank = (name, x, y, height, ink, weight = 3.6) => {
  const scale = height / 28;
  return `<path transform="translate(${x} ${y})scale(${scale})" d="${STROKES[name][0]}" fill="none" stroke="${ink}" stroke-width="${weight}" stroke-linecap="round" stroke-linejoin="round"/>`;
};
const rankWidth = (name, height) => (STROKES[name][1] * height) / 28;
const suit = (name, x, y, size, ink) =>
  `<path transform="translate(${x - size / 2} ${y - size / 2})scale(${size / 20})" d="${SHAPES[name]}" fill="${ink}"/>`;
const turned = (drawing) => `<g transform="rotate(180 50 ${HEIGHT / 2})">${drawing}</g>`;

const sheet = (inside, paper = PAPER) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH * 2}" height="${HEIGHT * 2}">` +
  `<rect x="1" y="1" width="98" height="138" rx="9" fill="${paper}" stroke="${EDGE}" stroke-width="2"/>${inside}</svg>`;

// --- The middle of a full face ------------------------------------------------------------------------------

const LEFT = 33, MIDDLE = 50, RIGHT = 67;
// Columns and rows of the pips; y from 0 (top) to 1 (bottom), the lower half stands on its head.
const PIPS = {
  2: [[MIDDLE, 0], [MIDDLE, 1]],
  3: [[MIDDLE, 0], [MIDDLE, 0.5], [MIDDLE, 1]],
  4: [[LEFT, 0], [RIGHT, 0], [LEFT, 1], [RIGHT, 1]],
  5: [[LEFT, 0], [RIGHT, 0], [MIDDLE, 0.5], [LEFT, 1], [RIGHT, 1]],
  6: [[LEFT, 0], [RIGHT, 0], [LEFT, 0.5], [RIGHT, 0.5], [LEFT, 1], [RIGHT, 1]],
  7: [[LEFT, 0], [RIGHT, 0], [MIDDLE, 0.25], [LEFT, 0.5], [RIGHT, 0.5], [LEFT, 1], [RIGHT, 1]],
  8: [[LEFT, 0], [RIGHT, 0], [MIDDLE, 0.25], [LEFT, 0.5], [RIGHT, 0.5], [MIDDLE, 0.75], [LEFT, 1], [RIGHT, 1]],
  9: [[LEFT, 0], [RIGHT, 0], [LEFT, 0.333], [RIGHT, 0.333], [MIDDLE, 0.5], [LEFT, 0.667], [RIGHT, 0.667], [LEFT, 1], [RIGHT, 1]],
  10: [[LEFT, 0], [RIGHT, 0], [MIDDLE, 0.167], [LEFT, 0.333], [RIGHT, 0.333], [LEFT, 0.667], [RIGHT, 0.667], [MIDDLE, 0.833], [LEFT, 1], [RIGHT, 1]],
};
const TOP_ROW = 52, BOTTOM_ROW = 122;

function pips(name, which, ink) {
  const size = Number(name) < 4 ? 24 : Number(name) > 8 ? 17.5 : 19.5;
  return PIPS[name].map(([x, down]) => {
    const y = TOP_ROW + (BOTTOM_ROW - TOP_ROW) * down;
    const drawn = suit(which, x, y, size, ink);
    return down > 0.5 ? `<g transform="rotate(180 ${x} ${y})">${drawn}</g>` : drawn;
  }).join("");
}

const ace = (which, ink) =>
  `<circle cx="50" cy="87" r="34" fill="none" stroke="${ink}" stroke-width="1.5" stroke-dasharray="1 5" stroke-linecap="round"/>${suit(which, 50, 87, 46, ink)}`;

// Court cards: half a figure above a slanting line, and the same on its head.
const GOLD = "#e2a91f", SKIN = "#f6d9bd", HAIR = { J: "#8a5a24", Q: "#6b3d16", K: "#d9d4c8" };

const CROWN = {
  J: (ink) => `<path d="M36 56c0-9 7-13 15-13s14 4 14 12z" fill="${ink}"/><path d="M34 55.500h33v4.500H34z" fill="${GOLD}"/><path d="M62 45c5-6 11-6 15-3-4 5-9 7-14 7z" fill="${GOLD}"/>`,
  Q: (ink) => `<path d="M37 58l-3-12 7 5 4-8 5 7 5-7 4 8 7-5-3 12z" fill="${GOLD}"/><circle cx="45" cy="42.5" r="2" fill="${ink}"/><circle cx="55" cy="42.5" r="2" fill="${ink}"/><path d="M37 55h26v3H37z" fill="${ink}"/>`,
  K: (ink) => `<path d="M36 58V44l6 5 8-8 8 8 6-5v14z" fill="${GOLD}"/><path d="M36 54.500h28v3.500H36z" fill="${ink}"/><circle cx="50" cy="49.5" r="2.2" fill="${ink}"/>`,
};
const LOCKS = {
  J: (hair) => `<path d="M37 58h26v9c2 3 2 6 0 9H37c-2-3-2-6 0-9z" fill="${hair}"/>`,
  Q: (hair) => `<path d="M37 57h26c3 8 3 16 6 22H31c3-6 3-14 6-22z" fill="${hair}"/>`,
  K: (hair) => `<path d="M36 58h28v13c0 7-6 13-14 16-8-3-14-9-14-16z" fill="${hair}"/>`,
};
const CHIN = { J: 74, Q: 74, K: 71 };

function half(name, which, ink) {
  const eyes = `<circle cx="46" cy="64.5" r="1.3" fill="#2a2018"/><circle cx="54" cy="64.5" r="1.3" fill="#2a2018"/>`;
  const mouth = name === "K" ? `<path d="M44 70.500c3-2 9-2 12 0-3 2.5-9 2.5-12 0z" fill="#8d8578"/>` : `<path d="M47.5 70.300q2.5 1.6 5 0" fill="none" stroke="#b0413a" stroke-width="1.3" stroke-linecap="round"/>`;
  const robe = `<path d="M19 88c2-9 12-12 22-13h18c10 1 20 4 22 13v12H19z" fill="${ink}"/>` +
    `<path d="M42 75l8 12 8-12z" fill="${PAPER}"/><path d="M38 75.5 50 92l12-16.500M26 80l10 20M74 80 64 100" fill="none" stroke="${GOLD}" stroke-width="2.5"/>`;
  const face = `<path d="M40 58h20v8c0 ${CHIN[name] - 66}-4 ${CHIN[name] - 63}-10 ${CHIN[name] - 63}S40 ${CHIN[name]} 40 66z" fill="${SKIN}"/>`;
  return robe + LOCKS[name](HAIR[name]) + (name === "K" ? "" : "") + face + eyes + mouth + CROWN[name](ink) + suit(which, 27, 52, 15, ink);
}

function court(name, which, ink, id) {
  const clip = `<clipPath id="${id}"><path d="M17 41h66v49L17 84z"/></clipPath>`;
  const drawn = `<g clip-path="url(#${id})">${half(name, which, ink)}</g>`;
  const frame = `<rect x="17" y="41" width="66" height="92" rx="4" fill="#fbf3de" stroke="${ink}" stroke-width="1.2"/>`;
  return `${clip}${frame}${drawn}<g transform="rotate(180 50 87)">${drawn}</g><path d="M17 84l66 6" stroke="${GOLD}" stroke-width="2"/>`;
}

function middle(name, which, ink) {
  if (name === "A") return ace(which, ink);
  return name in PIPS ? pips(name, which, ink) : court(name, which, ink, `half${name}${which}`);
}

// --- Whole faces --------------------------------------------------------------------------------------------

const index = (name, which, ink) => rank(name, 7, 8, 25, ink) + suit(which, 20 + rankWidth(name, 25), 20.5, 22, ink);

const full = (name, which, ink) => sheet(index(name, which, ink) + middle(name, which, ink));

function small(name, which, ink) {
  const width = rankWidth(name, 52);
  return sheet(rank(name, 50 - width / 2, 12, 52, ink, 4) + suit(which, 50, 90, 48, ink));
}

function tiny(name, which, ink) {
  const width = rankWidth(name, 58);
  return sheet(rank(name, 50 - width / 2, 10, 58, ink, 5) + suit(which, 50, 104, 58, ink));
}

const star = (x, y, size, ink) =>
  `<path transform="translate(${x} ${y})scale(${size / 20})" d="M0-10 2.6-3.3 9.8-3.1 4.1 1.3 6.2 8.2 0 4.2-6.2 8.2-4.1 1.3-9.8-3.1-2.6-3.300z" fill="${ink}"/>`;
const joker = (size) => sheet(
  `<g transform="translate(7 9)scale(.8)"><path d="${STROKES.J[0]}" fill="none" stroke="#5b2a86" stroke-width="4" stroke-linecap="round"/><path transform="translate(25 0)" d="${STROKES.K[0]}" fill="none" stroke="#5b2a86" stroke-width="4" stroke-linecap="round"/></g>` +
  `${star(50, 90, size, "#5b2a86")}${star(50, 90, size * 0.5, GOLD)}`);

const DRAWN = { full, small, tiny };

// --- Backs --------------------------------------------------------------------------------------------------

// Eight backs that differ in colour and in pattern: [ground, figure, pattern on a tile of 20 by 20].
const BACKS = [
  ["#14489c", "#cfe0ff", `<path d="M0 0 20 20M20 0 0 20" stroke-width="3"/>`],
  ["#b3161f", "#ffd9d5", `<circle cx="10" cy="10" r="4.5" class="f"/>`],
  ["#0a6b42", "#cdf2dd", `<path d="M0 5h20M0 15h20" stroke-width="4"/>`],
  ["#6a2c91", "#eed9ff", `<path d="M0 15 10 5 20 15" stroke-width="3.5"/>`],
  ["#b85c00", "#fff0d6", `<circle cx="10" cy="10" r="6.5" stroke-width="3"/>`],
  ["#0b6e7a", "#d2f4f7", `<path d="M10 0v20M0 10h20" stroke-width="3"/>`],
  ["#a8326e", "#ffdcec", `<path d="M10 2 17 10 10 18 3 10z" class="f"/>`],
  ["#33393d", "#e6eaec", `<path d="M-5 25 25-5M-5 5 5-5M15 25 25 15" stroke-width="5"/>`],
];

export const DECKS = BACKS.length;
export const deckColour = (deck) => BACKS[deck % DECKS][0];

function back(deck) {
  const [ground, figure, pattern] = BACKS[deck % DECKS];
  const drawn = pattern.replace('class="f"', `fill="${figure}" stroke="none"`);
  return sheet(
    `<defs><pattern id="p" width="20" height="20" x="10" y="10" patternUnits="userSpaceOnUse"><g fill="none" stroke="${figure}">${drawn}</g></pattern></defs>` +
    `<rect x="7" y="7" width="86" height="126" rx="6" fill="${ground}"/><rect x="7" y="7" width="86" height="126" rx="6" fill="url(#p)"/>` +
    `<rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="${ground}" stroke-width="4"/>`);
}

// A band in the deck's pattern: the foot of cards on foundations, so that one sees whose they are.
function band(deck) {
  const [ground, figure, pattern] = BACKS[deck % DECKS];
  const drawn = pattern.replace('class="f"', `fill="${figure}" stroke="none"`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20" width="200" height="40"><defs><pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><g fill="none" stroke="${figure}">${drawn}</g></pattern></defs><path d="M2 0h96v10a8 8 0 0 1-8 8H10a8 8 0 0 1-8-8z" fill="${ground}"/><path d="M2 0h96v10a8 8 0 0 1-8 8H10a8 8 0 0 1-8-8z" fill="url(#p)"/></svg>`;
}

// --- Kept as images -----------------------------------------------------------------------------------------

const kept = new Map();
let colours = "two";

function image(key, draw) {
  let url = kept.get(key);
  if (!url) {
    url = `url(${URL.createObjectURL(new Blob([draw()], { type: "image/svg+xml" }))})`;
    kept.set(key, url);
  }
  return url;
}

export function useColours(which) {
  colours = which in INK ? which : "two";
}

export const colourScheme = () => colours;

// The CSS image of a face, such as "10H" or "JK", in a size.
export function faceImage(text, size) {
  if (text.startsWith("JK")) return image(`JK ${size}`, () => joker(size === "full" ? 50 : 80));
  const name = text.slice(0, -1), which = text.at(-1);
  return image(`${text} ${size} ${colours}`, () => DRAWN[size](name, which, INK[colours][which]));
}

// A card that lies face up beneath others, unseen so far.
export const plainImage = () => image("plain", () => sheet(""));
export const backImage = (deck) => image(`back ${deck % DECKS}`, () => back(deck));
export const bandImage = (deck) => image(`band ${deck % DECKS}`, () => band(deck));
export const suitPath = (which) => SHAPES[which];
export const everyFace = () => SUITS.flatMap((which) => RANKS.map((name) => name + which));
