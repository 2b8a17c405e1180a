// The review: every tap is one correction sent to the server, which answers with the page as it then stands.

import { csrf, tell } from "./page.js";
import { Viewer } from "./viewer.js";

const review = document.getElementById("review");
const bar = document.getElementById("bar");
const cardDialog = document.getElementById("card-dialog");
const pileDialog = document.getElementById("pile-dialog");
const viewer = document.getElementById("viewer") ? new Viewer(document.getElementById("viewer"), tapped) : null;
let chain = Promise.resolve();
let card = null, pile = null, adding = null;

// One after the other: each correction is made on what the one before left.
function post(url, body, anchor) {
  chain = chain.then(() => exchange(url, body, anchor)).catch(() => tell(document.body.dataset.offline));
  return chain;
}

async function exchange(url, body, anchor) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrf(), Accept: "application/json" },
    body: JSON.stringify({ ...body, version: Number(review.dataset.version) }),
  });
  const state = await answer.json();
  if (!answer.ok) return tell(state.sentence);
  show(state, anchor);
}

const correct = (step, anchor) => post(review.dataset.correct, step, anchor);

function show(state, anchor) {
  if (state.leave) return location.assign(state.leave);
  tell(state.sentence ?? "");
  const before = anchor?.getBoundingClientRect().top;
  const focused = document.activeElement?.dataset.step ?? null;
  review.dataset.version = state.version;
  review.innerHTML = state.main;
  bar.innerHTML = state.bar;
  viewer?.redraw(state.overlays);
  keepInPlace(anchor, before);
  if (focused) review.querySelector(`[data-step='${CSS.escape(focused)}']`)?.focus({ preventScroll: true });
}

// What was tapped stays under the finger, whatever was added or went above it.
function keepInPlace(anchor, before) {
  const section = anchor?.id && document.getElementById(anchor.id);
  if (section && before !== undefined) window.scrollBy(0, section.getBoundingClientRect().top - before);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { step, go, open, show: shown, pileMenu, missing, photo, zoom } = button.dataset;
  if (step) correct(JSON.parse(step), button.closest("section"));
  else if (go) post(review.dataset[go], {}, button.closest("section"));
  else if (open) openCard(open);
  else if (shown) viewer?.focus(shown);
  else if (pileMenu) openPile(pileMenu);
  else if (missing) document.getElementById(missing).scrollIntoView({ block: "center" });
  else if (photo) viewer.choose(Number(photo));
  else if (zoom === "whole") viewer.whole();
  else if (zoom) viewer.zoom(zoom === "in" ? 1.6 : 1 / 1.6);
  else if ("add" in button.dataset && review.contains(button)) startAdding(null);
  else if ("close" in button.dataset) button.closest("dialog").close();
  else if (button.matches(".card[data-card]")) openCard(button.dataset.card);
});

// A tap on the photo: a box opens its card; while adding, or beside all boxes, the place of a missed card.
function tapped(target, photo, x, y) {
  if (adding) return placeMissed(photo, x, y);
  if (target.dataset.card) return openCard(target.dataset.card);
  if (target.dataset.stray !== undefined) return openMissed({ photo, x, y }, target.dataset.stray);
}

function startAdding(place) {
  adding = place ?? {};
  if (!viewer) return openMissed(adding);
  viewer.adding(true);
  tell(viewer.element.dataset.addHint, "");
  viewer.element.scrollIntoView({ block: "nearest" });
}

function placeMissed(photo, x, y) {
  const place = { ...adding, photo, x, y };
  adding = null;
  viewer.adding(false);
  tell("");
  openMissed(place);
}

const chips = () => [...review.querySelectorAll(".card[data-card]")];
const chip = (id) => chips().find((one) => one.dataset.card === id);

function openCard(id) {
  const one = chip(id);
  if (!one) return;
  card = { id, pile: one.closest("[data-pile]").dataset.pile, back: one.dataset.back };
  viewer?.focus(id);
  document.getElementById("card-crop").replaceChildren(...(viewer?.cuts(id) ?? []));
  fillCard(one.dataset.face, one.dataset.seat, JSON.parse(one.dataset.candidates));
  title("change");
  document.getElementById("card-actions").hidden = false;
  cardDialog.showModal();
}

function openMissed(place, guess = "") {
  card = { missed: place };
  document.getElementById("card-crop").replaceChildren();
  fillCard("", "", []);
  title("add");
  document.getElementById("card-actions").hidden = true;
  const select = document.getElementById("card-pile");
  select.value = place.pile ?? nearestPile(place) ?? "";
  cardDialog.showModal();
}

const title = (which) => {
  const heading = document.getElementById("card-title");
  heading.textContent = heading.dataset[which];
};

function fillCard(face, seat, candidates) {
  for (const one of cardDialog.querySelectorAll("[data-face]")) one.setAttribute("aria-pressed", one.dataset.face === face);
  for (const one of cardDialog.querySelectorAll("[data-owner]")) press(one, one.dataset.owner === seat);
  press(cardDialog.querySelector("[data-joker]"), face.startsWith("JK"));
  allBacks.closest("label").hidden = !card.back;
  allBacks.checked = false;
  const place = document.getElementById("card-candidates");
  place.replaceChildren(...candidates.map((name) => twin(name)).filter(Boolean));
  fillPiles(document.getElementById("card-pile"), card.pile);
}

// A candidate is drawn like its button in the deck below; the deck always holds every card.
function twin(name) {
  const original = cardDialog.querySelector(`.deck [data-face="${name}"]`);
  if (!original) return null;
  const copy = original.cloneNode(true);
  copy.className = `card ${original.className}`;
  return copy;
}

function fillPiles(select, chosen) {
  const options = [...review.querySelectorAll(".pile")].map((one, at) =>
    new Option(select.dataset.pile?.replace("{}", at + 1) ?? one.querySelector("h3").textContent, one.dataset.pile));
  if (select.dataset.own) options.push(new Option(select.dataset.own, ""));
  select.replaceChildren(...options);
  select.value = chosen ?? "";
}

const press = (button, on) => button.setAttribute("aria-pressed", String(on));

// The pile whose box lies nearest to the tap.
function nearestPile({ photo, x, y }) {
  const id = photo === undefined ? null : viewer?.nearest(photo, x, y);
  return id && chip(id)?.closest("[data-pile]").dataset.pile;
}

cardDialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (event.target === cardDialog) return cardDialog.close();
  if (!button) return;
  const { face, owner } = button.dataset;
  if (face) chooseFace(face);
  else if ("joker" in button.dataset) press(button, button.getAttribute("aria-pressed") !== "true");
  else if (owner) chooseOwner(owner, button);
  else if (button.dataset.do) act(button.dataset.do);
});

function finish(step) {
  cardDialog.close();
  correct(step);
}

function chooseFace(face) {
  const joker = cardDialog.querySelector("[data-joker]").getAttribute("aria-pressed") === "true";
  const named = joker && !face.startsWith("JK") ? `JK=${face}` : face;
  if (!card.missed) return finish({ kind: "face", card: card.id, face: named });
  const seat = cardDialog.querySelector('[data-owner][aria-pressed="true"]')?.dataset.owner;
  const { photo, x, y, number } = card.missed;
  const step = { kind: "add", face: named, seat, photo, x, y, number, pile: document.getElementById("card-pile").value || undefined };
  if (step.pile && number === undefined) step.number = placeInPile(step.pile, named);
  finish(step);
}

// A missed card goes where its rank belongs; the ranks stand in the order of the deck's buttons.
function placeInPile(id, face) {
  const rank = (name) => {
    const card = name.replace("JK=", "");
    const button = cardDialog.querySelector(`.deck [data-face="${card}"]`);
    return button ? [...button.parentElement.children].indexOf(button) : -1;
  };
  const cards = [...review.querySelector(`[data-pile="${id}"]`).querySelectorAll(".card")];
  const at = cards.findIndex((one) => rank(one.dataset.face) > rank(face));
  return at < 0 ? cards.length : at;
}

// A back that was taken for another deck is put right for all its cards at once.
const allBacks = document.querySelector("#card-all-backs input");

function chooseOwner(seat, button) {
  if (allBacks.checked) return finish({ kind: "back", owner: card.back, seat });
  if (!card.missed) return finish({ kind: "owner", card: card.id, seat });
  for (const one of cardDialog.querySelectorAll("[data-owner]")) press(one, one === button);
}

function act(what) {
  const place = [...chip(card.id).parentElement.children].indexOf(chip(card.id));
  if (what === "earlier" || what === "later") {
    return finish({ kind: "move", card: card.id, pile: card.pile, number: Math.max(0, place + (what === "later" ? 1 : -1)) });
  }
  if (what === "insert") {
    cardDialog.close();
    return startAdding({ pile: card.pile, number: place });
  }
  finish({ kind: what, card: card.id });
}

document.getElementById("card-pile").addEventListener("change", (event) => {
  if (!card.missed) finish({ kind: "move", card: card.id, pile: event.target.value || undefined });
});

function openPile(id) {
  pile = id;
  const select = document.getElementById("merge-with");
  fillPiles(select);
  [...select.options].find((option) => option.value === id)?.remove();
  select.selectedIndex = 0;
  pileDialog.showModal();
}

pileDialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (event.target === pileDialog) return pileDialog.close();
  if (!button || "close" in button.dataset) return;
  pileDialog.close();
  if (button.dataset.pileOwner) return correct({ kind: "pile_owner", pile, seat: button.dataset.pileOwner });
  changePile(button.dataset.pileDo);
});

function changePile(what) {
  const at = [...review.querySelectorAll(".pile")].findIndex((one) => one.dataset.pile === pile);
  if (what === "up" || what === "down") return correct({ kind: "shift", pile, number: Math.max(0, at + (what === "up" ? -1 : 1)) });
  if (what === "add") return startAdding({ pile });
  const other = document.getElementById("merge-with").value;
  if (what === "merge") return other && correct({ kind: "merge", pile, other });
  correct({ kind: what, pile });
}

// A second phone that reviews the same round: fetch what it changed, unless something is being chosen here.
async function look() {
  if (!document.hidden && !cardDialog.open && !pileDialog.open && !adding) {
    try {
      const answer = await fetch(`${review.dataset.state}?version=${review.dataset.version}`, { headers: { Accept: "application/json" } });
      if (answer.status === 200) show(await answer.json(), document.getElementById("doubts"));
    } catch {
      // Out of reach for now; the next look may succeed.
    }
  }
  setTimeout(look, 3000);
}
setTimeout(look, 3000);
