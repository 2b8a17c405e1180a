// Buttons over the own piles and over targets: what keyboards and screen readers touch. They show nothing but
// focus and, for targets, the light.

import { card, isFoundation, symbol } from "./cards.js";
import { made, set } from "./furniture.js";
import { RATIO } from "./layout.js";
import { stockMove } from "./choices.js";
import { t } from "./texts.js";

const LEAST = 44;

export class Piles {
  constructor(root, felt) {
    this.felt = felt;
    this.layer = root.querySelector(".pile-buttons");
    this.targetLayer = root.querySelector(".targets");
    this.buttons = new Map();
  }

  // Sets a button over each own pile.
  place(map, table) {
    const focused = document.activeElement?.dataset.pile;
    this.layer.replaceChildren();
    this.buttons.clear();
    const work = Array.from({ length: table.work }, (_, at) => String(at + 1));
    for (const pile of ["N", ...work, "S", "W"]) {
      const button = made("button", "pile-button");
      button.type = "button";
      button.dataset.pile = pile;
      this.layer.append(button);
      this.buttons.set(pile, button);
    }
    this.buttons.get(focused)?.focus();
  }

  // Names the piles as they lie, and makes each button as large as its pile.
  tell(places, table, picked) {
    for (const [pile, button] of this.buttons) {
      const box = this.felt.boxOf(`${table.you}.${pile}`);
      if (!box) continue;
      const label = this.label(pile, places, table) + (picked === pile ? `, ${t("chosen")}` : "");
      if (button.ariaLabel !== label) button.ariaLabel = label;
      const size = `${box.x} ${box.y} ${box.width} ${box.height}`;
      if (button.size !== size) {
        button.size = size;
        set(button, { ...box, height: Math.max(LEAST, box.height) });
      }
    }
  }

  label(pile, places, table) {
    const cards = places.get(`${table.you}.${pile}`), count = cards.length, top = count ? symbol(cards.at(-1)) : "";
    if (pile === "S") return t({ turn: "place_stock", redeal: "place_stock_over" }[stockMove(places, table)] ?? "place_stock_none", { count });
    if (pile === "N") return t(count ? "place_nerts" : "place_nerts_empty", { card: top, count });
    if (pile === "W") return t(count ? "place_waste" : "place_waste_empty", { card: top });
    return t(count ? "place_work" : "place_work_empty", { card: top, count, pile });
  }

  // Lights up targets; `usable` ones are buttons to choose from.
  light(targets, table, usable) {
    this.targetLayer.replaceChildren(...targets.map((one) => this.target(one, table, usable)));
  }

  target(one, table, usable) {
    const button = made(usable ? "button" : "span", `target ${one.kind}`);
    if (usable) {
      button.type = "button";
      button.dataset.move = one.move;
      const pile = one.target.replace("F", "");
      button.ariaLabel = t(one.target === "F" ? "target_new" : `target_${one.kind}`, { pile });
    }
    if (one.kind === "under") button.textContent = t("under_short");
    set(button, this.boxFor(one, table));
    return button;
  }

  boxFor(one, table) {
    const { felt } = this;
    if (isFoundation(one.target)) {
      const where = felt.spot(one.target === "F" ? `F${Math.min(felt.places.foundations + 1, felt.map.foundations.count)}` : one.target);
      return { x: where.x, y: where.y, width: where.width, height: where.width * RATIO };
    }
    const box = felt.boxOf(`${table.you}.${one.target}`);
    if (one.kind === "under") return { ...box, y: box.y - 22, height: 46 };
    const high = box.width * RATIO;
    return { ...box, y: box.y + box.height - high, height: high };
  }
}

// The foundations in words, for screen readers: one entry for each.
export function sayFoundations(list, places) {
  const texts = [];
  for (let number = 1; number <= places.foundations; number += 1) {
    const top = card(places.top(`F${number}`));
    texts.push(t("foundation", { suit: t({ S: "spades", H: "hearts", D: "diamonds", C: "clubs" }[top.suit]), card: symbol(top.id) }));
  }
  const items = (texts.length ? texts : [t("foundation_none")]).map((text) => made("li", "", text));
  list.replaceChildren(...items);
}
