// The replay player: one for every recorded round.

import { place as placeOf } from "./cards.js";
import { Chart } from "./chart.js";
import { Felt } from "./felt.js";
import { Furniture, made } from "./furniture.js";
import { preferences } from "./preferences.js";
import { Line, tell } from "./speech.js";
import { Tape } from "./tape.js";
import { t } from "./texts.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const FIRST_SPEED = 2;
const LONG_JUMP = 12;
const STEP_MS = 100;

export class Player {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.tape = new Tape(data.frames);
    this.moment = 0;
    this.number = -1;
    this.speed = FIRST_SPEED;
    this.playing = false;
    this.names = new Map(data.seats.map((seat) => [seat.seat, seat.name]));
    this.furnish();
    this.listen();
    this.seekToHash();
  }

  // --- Setting up ------------------------------------------------------------------------------------------

  furnish() {
    const { data, root } = this;
    const info = new Map(data.seats.map((seat) => [seat.seat, seat]));
    const first = this.tape.last;
    const piles = !data.seats.some((seat) => first.cards.has(`${seat.seat}.N`));
    const own = piles ? null : (data.seats.find((seat) => !seat.bot) ?? data.seats[0]).seat;
    const work = countWork(first, data.seats[0]?.seat);
    this.table = { seats: data.seats.map((seat) => seat.seat), own, info, work, piles, foundations: first.foundations, open: Boolean(data.rules?.nerts_faceup) };
    this.felt = new Felt(root.querySelector(".felt"), { deckOf: (seat) => info.get(seat)?.deck ?? null, open: this.table.open });
    this.furniture = new Furniture(root.querySelector(".felt"), { panelTag: "button" });
    this.felt.onArranged = (map) => {
      this.furniture.place(map, this.table);
      this.furniture.tell(this.felt.places, this.table);
    };
    this.line = new Line(root.querySelector(".line"));
    this.line.element.hidden = !this.tape.isSpoken;
    this.scrub = root.querySelector("[data-scrub]");
    this.scrub.max = Math.ceil(data.length / STEP_MS) * STEP_MS; // So that the end can be reached.
    this.chart = data.scores.length > 1 ? new Chart(root.querySelector(".run-chart svg"), data.scores, data.length, data.seats) : null;
    root.querySelector(".run-chart").hidden = !this.chart;
    root.querySelector("[data-first]").hidden = data.first_empty === null;
    this.legend();
    this.felt.seat(this.table);
    this.nameOwn();
  }

  legend() {
    const legend = this.root.querySelector(".legend");
    if (!this.chart) return;
    this.scoresShown = this.data.seats.map((seat, at) => {
      const item = made("li", `seat-${at + 1}`), value = made("strong", "number");
      const name = made("span", "seat-name", seat.name);
      name.translate = false;
      item.append(made("span", "swatch"), name, value);
      legend.append(item);
      return value;
    });
  }

  nameOwn() {
    const caption = this.root.querySelector(".own-name");
    caption.textContent = this.table.own ? this.names.get(this.table.own) : "";
  }

  listen() {
    const { root } = this;
    root.addEventListener("click", (event) => this.clicked(event));
    this.scrub.addEventListener("input", () => {
      this.stop();
      this.seek(Number(this.scrub.value));
    });
    this.scrub.addEventListener("change", () => this.noteMoment());
    root.querySelector(".run-chart").addEventListener("pointerdown", (event) => this.chartTapped(event));
    // On a page of its own every key is the player's; else those pressed in it.
    const ears = root.closest(".replaying") ? document : root;
    ears.addEventListener("keydown", (event) => this.pressed(event));
    window.addEventListener("hashchange", () => this.seekToHash());
    new ResizeObserver(() => this.felt.resized()).observe(this.felt.root);
    preferences.listen(() => this.felt.rearrange());
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.seat) return this.follow(button.dataset.seat);
    for (const [name, action] of Object.entries(BUTTONS)) if (name in button.dataset) action(this);
  }

  // --- Controls --------------------------------------------------------------------------------------------

  play() {
    if (this.playing) return this.stop();
    if (this.moment >= this.data.length) this.seek(0);
    this.playing = true;
    this.buttons();
    let before = performance.now();
    const frame = (now) => {
      if (!this.playing) return;
      this.seek(Math.min(this.data.length, this.moment + (now - before) * this.speed), true);
      before = now;
      if (this.moment >= this.data.length) return this.stop();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    if (!this.playing) return;
    this.playing = false;
    this.buttons();
    this.noteMoment();
  }

  step(direction) {
    this.stop();
    // Going back from between two frames leads to the one before.
    this.seek(this.tape.frames[this.tape.step(this.number, direction)].at, false, direction);
    this.noteMoment();
  }

  nextSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    this.buttons();
  }

  first() {
    this.stop();
    this.seek(this.data.first_empty);
    this.noteMoment();
  }

  follow(seat) {
    this.table.own = seat;
    this.felt.seat(this.table);
    this.nameOwn();
    this.show(true);
  }

  buttons() {
    const button = this.root.querySelector("[data-play]");
    button.ariaLabel = t(this.playing ? "pause" : "play");
    button.classList.toggle("is-playing", this.playing);
    this.root.querySelector("[data-speed]").textContent = t("speed", { speed: this.speed });
    // What is said while it plays is for the eye; nobody could listen to it.
    this.line.element.ariaLive = this.playing ? "off" : "polite";
  }

  // --- Moments ---------------------------------------------------------------------------------------------

  seek(moment, travel = false, direction = 0) {
    this.moment = Math.min(Math.max(0, moment), this.data.length);
    const number = direction < 0 ? this.tape.step(this.number, -1) : direction > 0 ? this.tape.step(this.number, 1) : this.tape.numberAt(this.moment);
    const near = this.number >= 0 && Math.abs(number - this.number) <= LONG_JUMP;
    if (number !== this.number) {
      this.number = number;
      this.show(near && (travel || direction !== 0));
      this.sayNow();
    }
    this.showMoment();
  }

  show(travel) {
    const places = this.tape.placesAt(this.number);
    this.felt.show(places, { travel });
    this.furniture.tell(places, this.table);
  }

  sayNow() {
    const record = this.tape.recordAt(this.number);
    if (record) this.line.say(tell(record, (seat) => this.names.get(seat) ?? seat), record.outcome === "bounced" ? "refused" : "");
    else this.line.say("");
  }

  showMoment() {
    if (document.activeElement !== this.scrub || this.playing) this.scrub.value = this.moment;
    this.scrub.ariaValueText = clock(this.moment);
    this.root.querySelector(".moment").textContent = `${clock(this.moment)} / ${clock(this.data.length)}`;
    if (!this.chart) return;
    this.chart.show(this.moment);
    this.chart.at(this.moment).forEach((score, at) => {
      const text = String(score).replace("-", "−");
      if (this.scoresShown[at].textContent !== text) this.scoresShown[at].textContent = text;
    });
  }

  chartTapped(event) {
    const box = event.currentTarget.getBoundingClientRect();
    this.stop();
    this.seek((this.data.length * (event.clientX - box.left)) / box.width);
    this.noteMoment();
  }

  seekToHash() {
    const found = /^#t=(\d+)$/.exec(location.hash);
    this.stop();
    this.seek(found ? Number(found[1]) : 0);
    this.buttons();
  }

  noteMoment() {
    history.replaceState(null, "", `#t=${Math.round(this.moment)}`);
  }

  // --- Keyboard --------------------------------------------------------------------------------------------

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, input:not([data-scrub])")) return;
    const onButton = event.target.closest("button, a, summary");
    const action = KEYS[event.key];
    if (!action || (onButton && (event.key === " " || event.key === "Enter"))) return;
    if (event.target === this.scrub && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    action(this);
  }
}

const BUTTONS = {
  play: (player) => player.play(),
  back: (player) => player.step(-1),
  forward: (player) => player.step(1),
  speed: (player) => player.nextSpeed(),
  first: (player) => player.first(),
};
const KEYS = {
  " ": (player) => player.play(),
  ArrowRight: (player) => player.step(1),
  ArrowLeft: (player) => player.step(-1),
  Home: (player) => { player.stop(); player.seek(0); player.noteMoment(); },
  End: (player) => { player.stop(); player.seek(player.data.length); player.noteMoment(); },
  f: (player) => player.data.first_empty !== null && player.first(),
  s: (player) => player.nextSpeed(),
};

const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

function countWork(places, seat) {
  let count = 0;
  for (const name of places.cards.keys()) {
    const at = placeOf(name);
    if (at.seat === seat && /^\d+$/.test(at.pile)) count = Math.max(count, Number(at.pile));
  }
  return count;
}
