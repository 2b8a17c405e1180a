// A table as this page has it: what the server has confirmed, the own moves on their way, and what is shown.

import { isFoundation, symbol } from "./cards.js";
import { playsOf } from "./choices.js";
import { tell } from "./speech.js";
import { sound } from "./sound.js";
import { foresee, Places, readMove } from "./state.js";
import { t } from "./texts.js";

const NEARLY_OUT = 3;

export class Game {
  // `parts`: { felt, furniture, piles, line, link, scenes, hand }, set by the page.
  constructor(parts) {
    Object.assign(this, parts);
    this.confirmed = new Places();
    this.places = new Places();
    this.pending = [];
    this.air = {};
    this.isStuck = false;
    this.passes = 0;
  }

  isOpen() {
    return this.table.phase === "playing";
  }

  nameOf(seat) {
    if (seat === this.table.you) return t("you");
    return this.table.info.get(seat)?.name ?? seat;
  }

  isAlone() {
    return this.table.seats_told.every((seat) => seat.bot !== null || seat.seat === this.table.you);
  }

  // --- What the server says --------------------------------------------------------------------------------

  hello(data) {
    const isNew = !this.table || this.table.round !== data.round;
    this.confirmed = new Places(data.change);
    this.air = data.air ?? {};
    this.seq = data.seq;
    this.pending = this.pending.filter((move) => !isNew && !move.sent);
    if (isNew) {
      this.isStuck = false;
      this.passes = 0;
      this.warned = new Set();
    }
    this.status(data, isNew);
    this.refresh(!isNew);
  }

  status(data) {
    const before = this.table;
    this.table = {
      ...data, seats_told: data.seats, seats: data.seats.map((seat) => seat.seat), own: data.you, work: data.rules.work_piles,
      info: new Map(data.seats.map((seat) => [seat.seat, seat])), foundations: 0, open: data.rules.nerts_faceup,
    };
    const same = before && JSON.stringify(before.seats_told.map(looks)) === JSON.stringify(data.seats.map(looks)) && before.round === data.round;
    if (!same) this.felt.seat(this.table);
    else this.felt.table = this.table;
    this.scenes.show(this.table);
    this.retell();
  }

  change(data) {
    this.confirmed.fold(data.change);
    this.air = data.air ?? this.air;
    this.seq = data.seq ?? this.link.seq;
    if (data.record) this.recorded(data.record, data.change);
    this.pending = this.pending.filter((move) => !(move.seq <= this.seq));
    this.refresh();
  }

  recorded(record, change) {
    if (record.seat === this.table.you) this.ownRecord(record, change);
    else this.othersRecord(record);
    const landed = record.outcome !== "bounced" && isFoundation(readMove(record.move)?.target ?? "");
    if (landed) {
      this.isStuck = false;
      this.passes = 0;
    }
  }

  ownRecord(record, change) {
    const at = this.pending.findIndex((move) => move.text === record.move);
    if (at >= 0) this.pending.splice(at, 1);
    if (record.outcome === "bounced") return this.bounced(record);
    if (record.move === "stuck") this.saidStuck(change);
    else if (record.move === "redeal") this.passes += 1;
    else if (readMove(record.move)) this.played(record);
  }

  played(record) {
    this.isStuck = false;
    this.passes = 0;
    this.line.say(tell(record, (seat) => this.nameOf(seat)));
    if (isFoundation(readMove(record.move).target)) sound("out");
  }

  saidStuck(change) {
    const everybody = `${this.table.you}.S` in change;
    this.isStuck = !everybody;
    this.passes = 0;
    this.line.say(t(everybody ? "all_stuck" : "now_stuck"));
    this.retell();
  }

  bounced(record) {
    const face = readMove(record.move)?.face ?? "";
    this.line.say(t("you_bounced", { card: face ? symbol(`P1:${face}`) : "", reason: record.reason ?? "" }), "refused");
    sound("refused");
  }

  othersRecord(record) {
    if (["nerts!", "stuck", "stall", "stop"].includes(record.move)) this.line.say(tell(record, (seat) => this.nameOf(seat)));
    if (record.move === "nerts!") sound("call");
    const left = this.confirmed.get(`${record.seat}.N`).length;
    if (left <= NEARLY_OUT && record.move.startsWith("N:") && !this.warned.has(record.seat)) {
      this.warned.add(record.seat);
      this.line.say(t("seat_has", { name: this.nameOf(record.seat), count: left }));
    }
  }

  online(is) {
    this.felt.root.classList.toggle("offline", !is);
    this.line.say(t(is ? "online" : "offline"), is ? "" : "refused");
  }

  gone() {
    location.reload();
  }

  // --- What the player does --------------------------------------------------------------------------------

  // Makes a move: it is shown at once, and taken back if the server refuses it.
  async play(text, ids) {
    const move = { text, sent: false, seq: Infinity };
    this.pending.push(move);
    sound(text === "turn" || text === "redeal" ? "turn" : "place");
    this.refresh();
    const answer = await this.link.send(text);
    move.sent = true;
    if (answer.ok) move.seq = answer.seq;
    else this.refused(move, answer, ids);
    if (answer.ok && move.seq <= this.seq) this.forget(move);
  }

  forget(move) {
    const at = this.pending.indexOf(move);
    if (at < 0) return;
    this.pending.splice(at, 1);
    this.refresh();
  }

  refused(move, answer, ids) {
    this.forget(move);
    this.felt.shake(ids);
    this.line.say(answer.error ?? t("not_sent"), "refused");
    sound("refused");
  }

  // Asks for a move that does not look legal from here: nothing is shown before the answer.
  async ask(text, ids) {
    const answer = await this.link.send(text);
    if (!answer.ok) this.refused({}, answer, ids);
  }

  // Says something to the table: "stuck", "rotate", "nerts!".
  async say(word) {
    const answer = await this.link.send(word);
    if (answer.ok) return true;
    this.line.say(answer.error ?? t("not_sent"), "refused");
    sound("refused");
    return true;
  }

  call() {
    const left = this.places.get(`${this.table.you}.N`).length;
    if (!this.isOpen()) return true;
    if (left) this.line.say(t("call_early", { count: left }));
    else this.say("nerts!");
    return true;
  }

  // Lights up everything that can be played, as the server sees it.
  async look() {
    if (!this.isOpen()) return true;
    const moves = (await this.link.legal()).map((text) => ({ text, ...readMove(text) })).filter((one) => one.source);
    const useful = moves.filter((one) => isFoundation(one.target) || /^[NW]$/.test(one.source) || this.opens(one));
    if (!useful.length) {
      this.line.say(t(this.passes ? "nothing_at_all" : "nothing_fits"));
      return true;
    }
    const ids = useful.flatMap((one) => this.places.get(`${this.table.you}.${one.source}`).slice(-one.count));
    this.felt.mark(ids, "hinted");
    this.line.say(useful.slice(0, 3).map((one) => tell({ seat: "", move: one.text, outcome: "done" }, () => "").replace(/^[:\s]+/, "")).join(" · "));
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => this.felt.mark([], "hinted"), 4000);
    return true;
  }

  // From work pile to work pile only what empties a place is worth a hint.
  opens(one) {
    const { you } = this.table;
    return one.count === this.places.get(`${you}.${one.source}`).length && this.places.get(`${you}.${one.target}`).length > 0;
  }

  legal() {
    return this.link.legal();
  }

  // --- Showing ---------------------------------------------------------------------------------------------

  // Shows the confirmed state with the own moves on their way laid over it.
  refresh(travel = true) {
    const places = this.confirmed.copy(), air = { ...this.air };
    for (const move of this.pending) {
      const target = readMove(move.text)?.target ?? "";
      if (foresee(places, this.table.you, move.text, this.table.rules) && isFoundation(target)) air[this.table.you] = target;
    }
    this.places = places;
    this.felt.show(places, { air, travel });
    this.retell();
  }

  // Writes what is said of the piles anew.
  retell() {
    if (!this.table || !this.felt.map) return;
    this.furniture.tell(this.places, this.table);
    this.piles.tell(this.places, this.table, this.hand.picked?.source);
    this.scenes.controls(this);
    this.advise();
  }

  // Once a whole pass has brought nothing and nothing fits, the way out is named.
  advise() {
    if (this.passes < 1 || this.isStuck || !this.isOpen() || this.advisedAt === this.passes) return;
    if (playsOf(this.places, this.table).some((one) => one.kind !== "pile" || /^[NW]$/.test(one.source))) return;
    this.advisedAt = this.passes;
    this.line.say(t("nothing_at_all"));
  }
}

const looks = (seat) => [seat.seat, seat.name, seat.deck, seat.bot, seat.present];
