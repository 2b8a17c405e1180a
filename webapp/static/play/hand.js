// The player's hand: from a touched pile to a move. It picks, lights up targets, and lets go.

import { card, isFoundation, isWork, symbol } from "./cards.js";
import { obvious, runFor, stockMove, targetsOf } from "./choices.js";
import { readMove } from "./state.js";
import { sound } from "./sound.js";
import { t } from "./texts.js";

export class Hand {
  // `table`: { places, table, play(move, ids), ask(move, ids), legal(), isOpen, line, piles, felt }.
  constructor(game) {
    this.game = game;
    this.picked = null;
  }

  // --- Touching --------------------------------------------------------------------------------------------

  // A tap on the table; `found` is what of the own layout lies there.
  tap(found, x, y) {
    if (this.picked && this.chooseAt(found, x, y)) return;
    if (!found) return this.let_go();
    this.take(found);
  }

  // A pile touched without a pointer.
  touch(pile) {
    if (this.picked && this.picked.targets.some((one) => one.target === pile)) return this.chooseTarget(pile);
    const ids = this.game.places.get(`${this.game.table.you}.${pile}`).slice(-1);
    this.take({ source: pile, count: ids.length, ids }, true);
  }

  take(found, whole = false) {
    if (!this.game.isOpen()) return;
    const again = this.picked?.source === found.source && this.picked.count === found.count;
    this.let_go();
    if (found.source === "S") return this.stock();
    if (!found.ids.length || again) return;
    const run = whole && isWork(found.source) ? this.bestRun(found) : found;
    const targets = this.targets(run), clear = obvious(targets);
    if (clear) return this.game.play(clear.move, run.ids);
    if (targets.length) return this.pick(run, targets);
    if (this.game.table.rules.jokers) return this.askServer(run);
    this.nowhere(run);
  }

  // Touched as a whole, a work pile offers its exposed card, else the longest run that fits somewhere.
  bestRun(found) {
    const cards = this.game.places.get(`${this.game.table.you}.${found.source}`);
    for (const count of [1, ...Array.from({ length: cards.length - 1 }, (_, at) => cards.length - at)]) {
      const run = { source: found.source, count, ids: cards.slice(-count) };
      if (this.targets(run).some((one) => one.kind !== "space")) return run;
    }
    return found;
  }

  targets({ source, count }) {
    return targetsOf(this.game.places, this.game.table, source, count);
  }

  nowhere(run) {
    this.game.felt.shake(run.ids);
    this.game.line.say(t("fits_nowhere", { card: symbol(run.ids[0]) }));
    sound("refused");
  }

  // Jokers may be many cards: the server knows which.
  async askServer(run) {
    const moves = await this.game.legal();
    const face = card(run.ids[0]).joker ? "JK" : card(run.ids[0]).text;
    const targets = moves.map(targetOf).filter((one) => one?.source === run.source && one.face === face && one.count === run.count);
    if (targets.length) this.pick(run, targets);
    else this.nowhere(run);
  }

  stock() {
    if (!this.game.isOpen()) return true;
    this.let_go();
    const move = stockMove(this.game.places, this.game.table);
    if (move) this.game.play(move, []);
    return true;
  }

  // --- Choosing --------------------------------------------------------------------------------------------

  pick(run, targets) {
    this.picked = { ...run, targets };
    this.game.felt.mark(run.ids, "picked");
    this.game.piles.light(targets, this.game.table, true);
    this.game.line.say(t("choose"));
    this.game.retell();
  }

  chooseAt(found, x, y) {
    const target = this.game.felt.targetAt(x, y);
    return target !== null && target !== this.picked.source && this.chooseTarget(target);
  }

  chooseTarget(target) {
    const one = match(this.picked.targets, target);
    if (one) this.choose(one.move);
    return Boolean(one);
  }

  choose(move) {
    const ids = this.picked?.ids ?? [];
    this.let_go();
    this.game.play(move, ids);
  }

  goObvious() {
    const clear = this.picked && obvious(this.picked.targets);
    if (!clear) return false;
    this.choose(clear.move);
    return true;
  }

  // --- Dragging --------------------------------------------------------------------------------------------

  grasp(found) {
    if (found.source === "S" || !found.ids.length || !this.game.isOpen()) return false;
    this.let_go();
    this.game.felt.lift(found.ids);
    this.game.piles.light(this.targets(found), this.game.table, false);
    return true;
  }

  follow(dx, dy) {
    this.game.felt.drag(dx, dy);
  }

  drop(found, x, y) {
    const target = this.game.felt.targetAt(x, y), targets = this.targets(found);
    this.game.felt.release();
    this.game.piles.light([], this.game.table, false);
    const one = target && target !== found.source ? match(targets, target) : null;
    if (one) return this.game.play(one.move, found.ids);
    this.game.refresh();
    // The server has a sentence for what does not go there.
    if (target && target !== found.source) this.game.ask(written(found, target), found.ids);
  }

  let_go() {
    const held = this.game.felt.held.size > 0;
    this.game.felt.release();
    this.game.piles.light([], this.game.table, false);
    if (this.picked) {
      this.picked = null;
      this.game.felt.mark([], "picked");
      this.game.retell();
    }
    if (held) this.game.refresh();
    return true;
  }

  // --- Keys ------------------------------------------------------------------------------------------------

  // A pile's key: picks it, or lays what is picked there; the same key twice is a tap on the pile.
  key(pile) {
    if (!this.game.isOpen()) return true;
    if (!this.picked) return pile === "F" ? false : this.pickPile(pile);
    if (pile === this.picked.source) {
      this.let_go();
      this.touch(pile);
      return true;
    }
    if (isWork(this.picked.source) && isWork(pile)) this.widen(pile);
    if (!this.chooseTarget(pile) && pile !== "F") this.pickPile(pile);
    return true;
  }

  // From pile to pile goes the run that fits.
  widen(pile) {
    const { source } = this.picked, count = runFor(this.game.places, this.game.table, source, pile);
    if (!count) return;
    const ids = this.game.places.get(`${this.game.table.you}.${source}`).slice(-count);
    this.picked = { source, count, ids, targets: this.targets({ source, count }) };
  }

  pickPile(pile) {
    const ids = this.game.places.get(`${this.game.table.you}.${pile}`).slice(-1);
    this.let_go();
    if (!ids.length) return true;
    const run = { source: pile, count: 1, ids };
    this.pick(run, this.targets(run));
    return true;
  }
}

// The target among several that a place stands for; anywhere among the foundations is good enough.
function match(targets, target) {
  const exact = targets.find((one) => one.target === target);
  return exact ?? (isFoundation(target) ? targets.find((one) => one.kind === "foundation") ?? null : null);
}

function written({ source, count, ids }, target) {
  const face = card(ids[0]).text.split(".")[0], run = count > 1 ? `x${count}` : "";
  return `${source}:${face}${run}>${target}`;
}

function targetOf(text) {
  const move = readMove(text);
  if (!move) return null;
  const kind = move.under ? "under" : isFoundation(move.target) ? "foundation" : "pile";
  return { ...move, move: text, kind, face: move.face.split("=")[0] };
}
