// What stands beside the cards: the Nerts button, the pause, the result, help and menu.

import { made } from "./furniture.js";
import { preferences } from "./preferences.js";
import { t } from "./texts.js";

const number = (value) => String(value).replace("-", "−");
const signed = (value) => (value > 0 ? `+${value}` : number(value));

export class Scenes {
  constructor(root) {
    this.root = root;
    this.call = document.getElementById("call");
    this.stuck = document.getElementById("stuck");
    this.cover = root.querySelector(".cover");
    this.result = document.getElementById("result");
    for (const input of document.querySelectorAll("[data-preference]")) {
      input.checked = preferences.get(input.dataset.preference);
      input.addEventListener("change", () => preferences.set(input.dataset.preference, input.checked));
    }
    document.addEventListener("click", (event) => this.clicked(event));
  }

  clicked(event) {
    const opener = event.target.closest("[data-opens]");
    if (opener) this.open(opener.dataset.opens);
    if (event.target.closest("[data-closes]")) event.target.closest("dialog").close();
    // A tap beside a dialog closes it; the result stays until something is chosen.
    if (event.target.matches("dialog:not(#result)")) event.target.close();
  }

  open(name) {
    const dialog = document.getElementById(name);
    if (!dialog.open) dialog.showModal();
    return true;
  }

  // --- The table's own words -------------------------------------------------------------------------------

  show(table) {
    document.querySelector("[data-round]").textContent = t("round", { round: table.round });
    this.showCover(table);
    if (table.result) this.showResult(table);
    else if (this.result.open) this.result.close();
    document.querySelector("[data-invite]")?.toggleAttribute("hidden", !table.join);
    document.querySelector("[data-pause]").hidden = table.phase !== "playing";
  }

  showCover(table) {
    const standing = table.phase === "paused" || table.phase === "waiting";
    const wasHidden = this.cover.hidden;
    this.cover.hidden = !standing;
    if (!standing) return;
    const waiting = table.phase === "waiting";
    this.cover.querySelector("h2").textContent = t(table.phase);
    this.cover.querySelector("p").textContent = table.trouble ?? t(waiting ? (table.host ? "waiting_why" : "waiting_host") : "paused_why");
    const button = this.cover.querySelector("[data-resume]");
    button.textContent = t(waiting ? "go" : "go_on");
    button.hidden = waiting && !table.host;
    this.cover.querySelector("[data-opens]").hidden = !(waiting && table.join);
    this.cover.querySelector("ul").replaceChildren(...table.seats_told.filter((seat) => waiting && seat.name).map((seat) => Object.assign(made("li", "", seat.name), { translate: false })));
    if (wasHidden && !button.hidden) button.focus({ preventScroll: true });
  }

  // --- Buttons at the thumb --------------------------------------------------------------------------------

  place(map) {
    const { controls, line } = map;
    const set = (element, box) => {
      element.style.transform = `translate(${box.x}px,${box.y}px)`;
      element.style.width = `${box.width}px`;
      element.style.height = `${box.height}px`;
    };
    set(this.root.querySelector(".controls"), controls);
    set(this.root.querySelector(".line"), line);
  }

  controls(game) {
    const left = game.places.get(`${game.table.you}.N`).length;
    const ready = left === 0 && game.isOpen() && game.places.cards.size > 0;
    this.call.classList.toggle("ready", ready);
    this.call.ariaDisabled = String(!ready);
    write(this.call.querySelector("small"), ready ? t("nerts_ready") : t("nerts_left", { count: left }));
    const rotates = game.isStuck && game.table.rules.stuck_alone !== "never";
    write(this.stuck.querySelector("span"), t(rotates ? "rotate" : "stuck"));
    this.stuck.classList.toggle("rotates", rotates);
  }

  // --- The result ------------------------------------------------------------------------------------------

  showResult(table) {
    const { result } = table, { result: dialog } = this;
    const nameOf = (seat) => table.info.get(seat)?.name ?? seat;
    const names = (seats) => seats.map(nameOf).join(", ");
    dialog.querySelector("h2").textContent = result.called ? t("called", { name: names(result.called) }) : t(`ended_${result.how}`);
    const winners = dialog.querySelector("[data-winners]");
    winners.hidden = !result.finished;
    winners.textContent = result.finished ? t("wins", { name: names(result.winners) }) : "";
    const rows = [...result.scores].sort((one, other) => other.score - one.score);
    dialog.querySelector("tbody").replaceChildren(...rows.map((line) => scoreRow(line, nameOf(line.seat), line.seat === table.you, result)));
    dialog.querySelector("[data-bonus]").hidden = !hasBonus(result);
    dialog.querySelector("[data-replay]").href = result.replay;
    dialog.querySelector("[data-photograph]").href = result.photograph;
    const next = dialog.querySelector("[data-next]");
    next.textContent = t(result.finished ? "again" : "next_round");
    if (!dialog.open) setTimeout(() => this.openResult(), RESULT_AFTER_MS);
  }

  // The last card is seen to land first.
  openResult() {
    for (const other of document.querySelectorAll("dialog[open]")) other.close();
    if (!this.result.open) this.result.showModal();
  }
}

const RESULT_AFTER_MS = 450;

const hasBonus = (result) => result.scores.some((line) => line.bonus !== 0);

function scoreRow(line, name, own, result) {
  const row = made("tr", own ? "own" : "");
  const head = made("th", "head");
  head.scope = "row";
  head.append(Object.assign(made("span", "", name), { translate: false }));
  const cells = [line.foundation, line.nerts_left, ...(hasBonus(result) ? [signed(line.bonus)] : []), signed(line.score), number(line.total)];
  row.append(head, ...cells.map((value, at) => made("td", at === cells.length - 2 ? "score-now" : "", String(value))));
  return row;
}

const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
