// Says what happened: shown on the table's line and read aloud from there.

import { symbol } from "./cards.js";
import { readMove } from "./state.js";
import { t } from "./texts.js";

const WORDS = ["turn", "redeal", "rotate", "stuck", "nerts!"];

// One sentence for a record; `nameOf(seat)` names players. "" where there is nothing to say.
export function tell(record, nameOf) {
  const name = nameOf(record.seat);
  const move = record.move.replace(/^(P\d|table) /, "");
  if (record.outcome === "bounced") return t("say_bounced", { name, card: cardIn(move), reason: record.reason ?? "" });
  if (WORDS.includes(move)) return t(`say_${move.replace("!", "")}`, { name });
  if (move === "stall" || move === "stop") return t(`say_${move}`);
  return play(move, name, record.outcome);
}

function play(text, name, outcome) {
  const move = readMove(text);
  if (!move) return "";
  const values = { name, card: cardIn(text), pile: move.target, count: move.count };
  if (outcome === "tied") return t("say_tied", values);
  if (move.target.startsWith("F")) return t("say_foundation", values);
  if (move.under) return t("say_under", values);
  return t(move.count > 1 ? "say_run" : "say_work", values);
}

const cardIn = (text) => {
  const move = readMove(text);
  if (!move) return "";
  const face = move.face.startsWith("JK=") ? move.face.slice(3) : move.face;
  return symbol(`P1:${face}`);
};

// The line of the table: the last thing said, seen and heard.
export class Line {
  constructor(element) {
    this.element = element;
  }

  say(text, kind = "") {
    // The same sentence said again must be heard again.
    if (text && text === this.element.textContent) this.element.textContent = "";
    this.element.className = `line ${kind}`;
    this.element.textContent = text;
  }
}
