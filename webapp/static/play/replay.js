// The page of a replay: fetches the record and hands it to the player.

import { tell } from "../page.js";
import { Player } from "./player.js";
import { t } from "./texts.js";

const root = document.getElementById("player");

async function open() {
  try {
    const answer = await fetch(root.dataset.record);
    if (!answer.ok) throw new Error(String(answer.status));
    const data = await answer.json();
    // The player needs to know how much room is left for the table.
    if (data.damage) tell(data.damage);
    new Player(root, data);
    root.dataset.ready = "";
  } catch {
    tell(t("record_unread"));
  }
}

open();
