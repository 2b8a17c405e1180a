// What lies on the table besides cards: outlines of places, the other seats' names and counts, own counts.

import { backImage } from "./faces.js";
import { RATIO } from "./layout.js";
import { t } from "./texts.js";

const made = (name, className, text = "") => Object.assign(document.createElement(name), { className, textContent: text });

const set = (element, box) => {
  element.style.transform = `translate(${box.x}px,${box.y}px)`;
  element.style.width = `${box.width}px`;
  element.style.height = `${box.height}px`;
};

export class Furniture {
  constructor(root, { panelTag = "div" } = {}) {
    this.layer = root.querySelector(".furniture");
    this.badges = root.querySelector(".badges");
    this.panelTag = panelTag;
    this.panels = new Map();
    this.outlines = new Map();
    this.counts = new Map();
  }

  // Sets everything where the layout has it.
  place(map, table) {
    this.layer.replaceChildren();
    this.badges.replaceChildren();
    for (const [name, where] of map.places) this.outline(name, where, table);
    this.panels.clear();
    for (const [seat, box] of map.panels) this.panel(seat, box, table);
    this.counts.clear();
    for (const pile of ["N", "S"]) {
      const where = table.own ? map.places.get(`${table.own}.${pile}`) : null;
      if (where) this.count(pile, where);
    }
  }

  outline(name, where) {
    if (where.hidden) return;
    const outline = made("div", name.startsWith("F") ? "outline common" : "outline");
    set(outline, { x: where.x, y: where.y, width: where.width, height: where.width * RATIO });
    this.layer.append(outline);
  }

  panel(seat, box, table) {
    const info = table.info.get(seat);
    const panel = made(this.panelTag, "seat-panel");
    if (this.panelTag === "button") panel.type = "button";
    panel.dataset.seat = seat;
    set(panel, box);
    const head = made("span", "seat-head");
    const back = made("span", "seat-back");
    back.style.backgroundImage = backImage(info.deck);
    const name = made("span", "seat-name", info.name);
    name.translate = false;
    const left = made("span", "seat-left");
    head.append(back, name, left);
    panel.append(head);
    this.layer.append(panel);
    this.panels.set(seat, { panel, name, left });
  }

  count(pile, where) {
    const badge = made("span", "pile-count");
    badge.style.transform = `translate(${where.x + where.width}px,${where.y + where.width * RATIO}px) translate(-100%,-100%)`;
    this.badges.append(badge);
    this.counts.set(pile, badge);
  }

  // Writes the counts as the cards lie.
  tell(places, table) {
    for (const [seat, { panel, left }] of this.panels) {
      const count = places.get(`${seat}.N`).length;
      write(left, String(count));
      panel.classList.toggle("nearly", count <= 3 && places.cards.size > 0);
      panel.classList.toggle("absent", table.info.get(seat).present === false);
      label(panel, t("seat_has", { name: table.info.get(seat).name, count }));
    }
    for (const [pile, badge] of this.counts) {
      const count = places.get(`${table.own}.${pile}`).length;
      write(badge, String(count));
      badge.hidden = count === 0;
    }
  }
}

const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const label = (element, text) => {
  if (element.tagName === "BUTTON" && element.ariaLabel !== text) element.ariaLabel = text;
  else if (element.tagName !== "BUTTON" && element.title !== text) element.title = text;
};

export { made, set };
