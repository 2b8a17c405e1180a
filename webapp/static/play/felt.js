// The one renderer: it puts an element for every card in sight where the layout says, and lets it travel there.
//
// Elements are kept by card. Only `transform` changes when a card moves, so the browser needs no layout for it.

import { card, isFoundation, isKnown, isWork, physical, place as placeOf } from "./cards.js";
import { arrange, cardAt, RATIO, stepOf } from "./layout.js";
import { likelyFoundation } from "./choices.js";
import { backImage, bandImage, colourScheme, faceImage, plainImage } from "./faces.js";
import { Places } from "./state.js";

const SETTLED_MS = 320;
const FLYING = 400, HELD = 900;
const UNSEEN_EDGE = 0.25;
const HOVER = { x: -5, y: -9, grown: 1.08 };

export class Felt {
  // `root`: the element of the table. `options`: { deckOf(seat), open: Nerts piles lie face up }.
  constructor(root, options) {
    this.root = root;
    this.options = options;
    this.layer = root.querySelector(".cards-layer");
    this.elements = new Map();
    this.looked = new Map();
    this.places = new Places();
    this.air = {};
    this.held = new Map();
    this.order = 0;
    this.onArranged = () => {};
  }

  // --- Layout ----------------------------------------------------------------------------------------------

  seat(table) {
    this.table = table;
    this.rearrange();
  }

  // Lays everything out anew where the table has become another size.
  resized() {
    if (this.map?.width !== this.root.clientWidth || this.map?.height !== this.root.clientHeight) this.rearrange();
  }

  rearrange() {
    const { clientWidth, clientHeight } = this.root;
    this.map = arrange(clientWidth, clientHeight, { ...this.table, foundations: Math.max(this.table.foundations ?? 0, this.places.foundations) });
    this.base = Math.max(this.map.card, 20);
    this.root.style.setProperty("--card-width", `${this.base}px`);
    this.root.dataset.shape = this.map.shape;
    this.looked.clear();
    for (const element of this.elements.values()) element.remove();
    this.elements.clear();
    this.onArranged(this.map);
    this.show(this.places, { travel: false });
  }

  spot(place) {
    return this.map.places.get(place);
  }

  // --- Showing ---------------------------------------------------------------------------------------------

  // Shows where all cards lie. `air` says for a seat with a card in the air which foundation it is bound for.
  // Lists of cards are never altered in place, so a place with the same list as before needs no look.
  show(places, { air = this.air, travel = true } = {}) {
    this.places = places;
    this.air = air;
    if (places.foundations > this.map.foundations.count) return this.rearrange();
    const wanted = new Map(), before = new Set();
    for (const [name, where] of this.map.places) if (!where.hidden) this.look(name, places.get(name), "", wanted, before);
    for (const seat of this.table.seats) this.look(`${seat}.A`, places.get(`${seat}.A`), air[seat] ?? "", wanted, before);
    if (this.root.classList.contains("still") === travel) this.root.classList.toggle("still", !travel);
    const spare = this.spare(wanted, before), born = [];
    for (const [key, one] of wanted) this.prepare(key, one, spare, travel, born);
    // New cards must have been where they come from, to travel from there.
    if (born.length || !travel) this.root.offsetWidth;
    for (const [key, one] of wanted) this.put(key, one, travel);
    for (const rest of spare.values()) for (const [key, element] of rest) this.drop(key, element, travel);
    if (!travel) this.root.offsetWidth;
  }

  // Adds to `wanted` the cards of a place that has changed, and to `before` those shown there until now.
  look(name, cards, bound, wanted, before) {
    const known = this.looked.get(name);
    if (known?.cards === cards && known.bound === bound) return;
    for (const key of known?.keys ?? []) before.add(key);
    const items = new Map();
    if (name.endsWith(".A")) this.wantAir(items, name.slice(0, -2));
    else this.wantPlace(items, name, this.spot(name), cards);
    this.looked.set(name, { cards, bound, keys: [...items.keys()] });
    for (const [key, one] of items) wanted.set(key, one);
  }

  wantPlace(wanted, name, where, cards) {
    const fanned = where.fan === "right" ? 3 : where.fan === "down" ? cards.length : 1;
    const from = Math.max(0, cards.length - fanned), shown = cards.length - from;
    let aside = 0;
    for (let at = Math.max(0, from - 1); at < cards.length; at += 1) {
      const { x, y } = cardAt(where, Math.max(0, at - from), shown, aside);
      const id = cards[at];
      // Of a packet turned over only the last card has been seen; the others show an edge.
      if (where.fan === "right" && at >= from) aside += isKnown(id) ? where.step : where.step * UNSEEN_EDGE;
      const key = isKnown(id) ? physical(id) : `${name}#${at}`;
      wanted.set(key, { id, name, x, y, width: where.width, z: at + 1, size: where.size, up: this.isUp(name, at, cards), at });
    }
  }

  wantAir(wanted, seat) {
    for (const id of this.places.get(`${seat}.A`)) {
      const target = this.air[seat] && this.air[seat] !== "F" ? this.air[seat] : likelyFoundation(this.places, id, this.map.foundations.count);
      const where = this.spot(target) ?? this.spot(`${seat}.N`);
      if (!where) continue;
      const width = where.width * HOVER.grown;
      wanted.set(physical(id), { id, name: `${seat}.A`, x: where.x + HOVER.x, y: where.y + HOVER.y, width, z: FLYING, size: where.size, up: true, lifted: true, at: 0 });
    }
  }

  isUp(name, at, cards) {
    if (!isKnown(cards[at])) return false;
    const { pile } = placeOf(name);
    return pile !== "S" && (pile !== "N" || at === cards.length - 1 || Boolean(this.options.open));
  }

  // Elements that nobody wants any more, by the seat of their card: they may turn into cards newly seen.
  spare(wanted, before) {
    const spare = new Map();
    for (const key of before) {
      const element = this.elements.get(key);
      if (!element || wanted.has(key)) continue;
      const { seat } = element.shown;
      if (!spare.has(seat)) spare.set(seat, new Map());
      spare.get(seat).set(key, element);
    }
    return spare;
  }

  prepare(key, one, spare, travel, born) {
    const element = this.elements.get(key) ?? this.turnInto(key, one, spare) ?? this.create(key, one, travel, born);
    element.leaving = 0;
    this.dress(element, one);
  }

  put(key, one, travel) {
    const element = this.elements.get(key);
    if (this.held.has(key)) return;
    const transform = this.transformOf(one);
    if (transform === element.transform) {
      if (!element.flying) element.style.zIndex = one.z;
      return;
    }
    element.transform = transform;
    element.style.transform = transform;
    this.raise(element, one.z, travel);
  }

  // A card that shows its face for the first time was one of the backs; a card turned down becomes one.
  turnInto(key, one, spare) {
    const rest = spare.get(card(one.id).seat);
    if (!rest?.size) return null;
    const here = `${one.name}#${one.at}`;
    let from = rest.has(here) ? here : null;
    const { pile, seat } = placeOf(one.name);
    if (!from && (pile === "W" || pile === "S")) {
      const other = pile === "W" ? "S" : "W";
      for (const [name, element] of rest) if (element.shown.name === `${seat}.${other}`) from = name;
    }
    if (!from && isKnown(one.id) && pile === "N") from = [...rest.keys()].find((name) => name.startsWith(`${one.name}#`)) ?? null;
    if (!from) return null;
    const element = rest.get(from);
    rest.delete(from);
    this.elements.delete(from);
    this.elements.set(key, element);
    return element;
  }

  create(key, one, travel, born) {
    const element = document.createElement("div");
    element.className = "playing";
    element.shown = {};
    this.elements.set(key, element);
    const start = travel ? this.startOf(one) : null;
    if (start) born.push(element);
    element.transform = this.transformOf(start ?? one);
    element.style.transform = element.transform;
    element.style.zIndex = one.z;
    this.layer.append(element);
    return element;
  }

  transformOf({ x, y, width }) {
    return `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${(width / this.base).toFixed(4)})`;
  }

  // A card on the waste comes from the stock, one on its way from its seat; others were covered where they lie.
  startOf(one) {
    const { pile } = placeOf(one.name), { seat } = card(one.id);
    if (pile === "W" && this.spot(`${seat}.S`)) return this.spot(`${seat}.S`);
    if (pile === "A") return this.spot(`${seat}.N`) ?? null;
    return null;
  }

  dress(element, one) {
    const seat = card(one.id).seat, banded = isFoundation(one.name) || Boolean(one.lifted);
    const look = `${one.up ? one.id : seat} ${one.size} ${banded} ${colourScheme()} ${!one.up && placeOf(one.name).pile === "W"}`;
    if (element.shown.look !== look) {
      const turns = element.shown.look !== undefined && element.shown.up !== one.up;
      const deck = this.options.deckOf(seat), hasBand = banded && deck !== null;
      const image = one.up ? faceImage(faceText(one.id, banded), one.size) : placeOf(one.name).pile === "W" || deck === null ? plainImage() : backImage(deck);
      element.style.backgroundImage = hasBand ? `${bandImage(deck)},${image}` : image;
      element.classList.toggle("banded", hasBand);
      if (turns) this.flip(element);
    }
    if (Boolean(one.lifted) !== element.shown.lifted) element.classList.toggle("lifted", Boolean(one.lifted));
    element.shown = { look, seat, up: one.up, name: one.name, lifted: Boolean(one.lifted), id: one.id };
  }

  flip(element) {
    if (this.root.classList.contains("still") || stillness.matches) return;
    element.animate([{ clipPath: "inset(0 48%)" }, { clipPath: "inset(0 0)" }], { duration: 140, easing: "ease-out" });
  }

  // While it travels a card lies above those that rest.
  raise(element, z, travel) {
    clearTimeout(element.flying);
    element.flying = 0;
    if (!travel) {
      element.style.zIndex = z;
      return;
    }
    this.order = (this.order + 1) % 400;
    element.style.zIndex = FLYING + this.order;
    element.flying = setTimeout(() => {
      element.flying = 0;
      if (!element.classList.contains("held")) element.style.zIndex = z;
    }, SETTLED_MS);
  }

  // A card that is covered stays until what covers it has arrived.
  drop(key, element, travel) {
    if (!travel) return this.remove(key, element);
    if (element.leaving) return;
    element.leaving = setTimeout(() => element.leaving && this.elements.get(key) === element && this.remove(key, element), SETTLED_MS);
  }

  remove(key, element) {
    this.elements.delete(key);
    element.remove();
  }

  // --- Cards in the hand -----------------------------------------------------------------------------------

  // Takes cards off the table into the hand.
  lift(ids) {
    for (const id of ids) {
      const key = physical(id), element = this.elements.get(key);
      if (!element) continue;
      const { x, y } = this.positionOf(element);
      this.held.set(key, { element, x, y });
      element.classList.add("held");
      element.style.zIndex = HELD + this.held.size;
    }
  }

  positionOf(element) {
    const found = /translate\(([-\d.]+)px,([-\d.]+)px\)/.exec(element.transform);
    return { x: Number(found[1]), y: Number(found[2]) };
  }

  drag(dx, dy) {
    for (const { element, x, y } of this.held.values()) {
      element.style.transform = `translate(${x + dx}px,${y + dy}px) scale(1.04)`;
    }
  }

  // Lets the cards go; the next `show` takes them where they belong.
  release() {
    for (const { element } of this.held.values()) {
      element.classList.remove("held");
      element.transform = "";
      const looked = this.looked.get(element.shown.name);
      if (looked) looked.cards = null;
    }
    this.held.clear();
  }

  shake(ids) {
    if (stillness.matches) return;
    for (const id of ids) {
      this.elements.get(physical(id))?.animate([{ translate: "0" }, { translate: "-5px" }, { translate: "5px" }, { translate: "-3px" }, { translate: "0" }], { duration: 220 });
    }
  }

  mark(ids, name) {
    for (const element of this.layer.querySelectorAll(`.${name}`)) element.classList.remove(name);
    for (const id of ids) this.elements.get(physical(id))?.classList.add(name);
  }

  // --- Finding ---------------------------------------------------------------------------------------------

  // What of the own layout lies under a point of the table: { source, count, ids } or null.
  find(x, y) {
    for (const [name, where] of this.map.places) {
      const { seat, pile } = placeOf(name);
      if (seat !== this.table.own || where.hidden) continue;
      const found = this.findIn(pile, where, this.places.get(name), x, y);
      if (found) return found;
    }
    return null;
  }

  findIn(pile, where, cards, x, y) {
    const high = where.width * RATIO, near = 3;
    const fanned = where.fan === "down" ? stepOf(where, cards.length) * Math.max(0, cards.length - 1) : 0;
    const aside = where.fan === "right" ? 2 * where.step : 0;
    if (x < where.x - near || x > where.x + where.width + aside + near || y < where.y - near || y > where.y + high + fanned + near) return null;
    if (!isWork(pile)) return { source: pile, count: Math.min(1, cards.length), ids: cards.slice(-1) };
    const step = stepOf(where, cards.length);
    const index = cards.length && step ? Math.min(cards.length - 1, Math.max(0, Math.floor((y - where.y) / step))) : cards.length - 1;
    return { source: pile, count: Math.max(0, cards.length - index), ids: cards.slice(Math.max(0, index)) };
  }

  // The target a card let go at this point is meant for: "F", "F5" or a work pile; null for none.
  targetAt(x, y) {
    const { foundations } = this.map;
    if (y >= foundations.y - 12 && y <= foundations.bottom + 8 && x >= foundations.x - 8 && x <= foundations.x + foundations.width + 8) return this.foundationAt(x, y) ?? "F";
    for (const [name, where] of this.map.places) {
      const { seat, pile } = placeOf(name);
      if (seat !== this.table.own || !isWork(pile)) continue;
      if (x >= where.x - 4 && x <= where.x + where.width + 4 && y >= where.y - 16 && y <= where.y + Math.max(where.room, where.width * RATIO)) return pile;
    }
    return null;
  }

  foundationAt(x, y) {
    for (let number = 1; number <= this.map.foundations.count; number += 1) {
      const where = this.spot(`F${number}`);
      if (x >= where.x - 2 && x <= where.x + where.width + 2 && y >= where.y - 2 && y <= where.y + where.width * RATIO + 2) return `F${number}`;
    }
    return null;
  }

  // The box of a place as it lies now, fan included.
  boxOf(name) {
    const where = this.spot(name);
    if (!where) return null;
    const count = this.places.get(name).length;
    const long = where.fan === "down" ? stepOf(where, count) * Math.max(0, count - 1) : 0;
    return { x: where.x, y: where.y, width: where.width + (where.fan === "right" ? 2 * where.step : 0), height: where.width * RATIO + long };
  }
}

const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

// On a foundation a joker shows what it was declared as.
function faceText(id, banded) {
  const one = card(id);
  return one.joker && banded && one.declared ? one.declared : one.text.split("=")[0].split(".")[0];
}
