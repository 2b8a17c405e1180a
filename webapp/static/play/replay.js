// The page of a replay: fetches the record and hands it to the player.

import { tell } from "../page.js";
import { Player } from "./player.js";
import { t } from "./texts.js";

const root = document.getElementById("player");

async function open() {
  try {
    const answer = await fetch(root.dataset.record);
    if (!answer.ok) throw new Error(String(answer.status));
    new Player(root, await answer.json());
    root.dataset.ready = "";
  } catch {
    tell(t("record_unread"));
  }
}

open();
