// Cards and places as the server writes them: "P2:4C", "P2:JK=10H", "P2:" for a card whose face is not known.

export const SUITS = ["C", "D", "H", "S"];
export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
export const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };

const read = new Map();

// Returns { id, seat, text, joker, declared, suit, rank, red }: rank 1 to 13; 0 and null where the face is not known.
export function card(id) {
  let found = read.get(id);
  if (!found) read.set(id, (found = parse(id)));
  return found;
}

function parse(id) {
  const [seat, text] = id.split(":");
  const joker = text.startsWith("JK");
  // "4H.2" is another card that was read alike.
  const shown = joker ? text.split("=")[1] ?? "" : text.split(".")[0];
  const suit = shown ? shown.at(-1) : null;
  const rank = shown ? RANKS.indexOf(shown.slice(0, -1)) + 1 : 0;
  // A fixed joker may be known by colour only to the rules; its face stays a joker's.
  return { id, seat, text, joker, declared: joker ? shown : "", suit, rank, red: suit === "D" || suit === "H" };
}

// The physical card: a joker stays itself whatever it is declared to be.
export const physical = (id) => id.split("=")[0];

export const isKnown = (id) => id.at(-1) !== ":";

export const symbol = (id) => {
  const one = card(id);
  return one.rank ? RANKS[one.rank - 1] + SYMBOLS[one.suit] : one.text.slice(0, 2);
};

// "P2.N" -> { seat: "P2", pile: "N" }; "F5" -> { seat: null, pile: "F5" }.
export function place(name) {
  const at = name.indexOf(".");
  return at < 0 ? { seat: null, pile: name } : { seat: name.slice(0, at), pile: name.slice(at + 1) };
}

export const isFoundation = (name) => name.startsWith("F");
export const isWork = (pile) => pile >= "1" && pile <= "99";
