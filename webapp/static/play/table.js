// The page of a table: puts the parts together.

import { csrf } from "../page.js";
import { Felt } from "./felt.js";
import { Furniture } from "./furniture.js";
import { Game } from "./game.js";
import { Gestures } from "./gestures.js";
import { Hand } from "./hand.js";
import { listenToKeys } from "./keys.js";
import { Link } from "./link.js";
import { Piles, sayFoundations } from "./piles.js";
import { preferences } from "./preferences.js";
import { Scenes } from "./scenes.js";
import { Line } from "./speech.js";

const root = document.querySelector(".felt");
const urls = Object.fromEntries(["events", "move", "legal", "pause", "resume", "next"].map((name) => [name, root.dataset[`${name}At`]]));
const hello = JSON.parse(document.getElementById("table").textContent);
const list = document.getElementById("foundation-list");
const LIST_EVERY_MS = 3000, RELOAD_MS = 5000, LEFT_AT = "nerts-left";

const felt = new Felt(root, { deckOf: (seat) => game.table.info.get(seat)?.deck ?? 0, open: hello.rules.nerts_faceup });
const game = new Game({ felt, furniture: new Furniture(root), piles: new Piles(root, felt), line: new Line(root.querySelector(".line")), scenes: new Scenes(root) });
game.hand = new Hand(game);
game.link = new Link(urls, csrf(), {
  hello: (data) => {
    game.hello(data);
    afterReload();
  },
  change: (data) => game.change(data),
  status: (data) => {
    game.status(data);
    afterReload();
  },
  gone: () => game.gone(),
  online: (is) => game.online(is),
});

felt.onArranged = (map) => {
  game.furniture.place(map, game.table);
  game.piles.place(map, game.table);
  game.scenes.place(map);
  game.hand.let_go();
  game.retell();
};

// --- What can be pressed -------------------------------------------------------------------------------------

const post = (url) => game.link.post(url).then((answer) => answer.ok || game.line.say(answer.error, "refused"), () => game.online(false));

const actions = {
  call: () => game.call(),
  stuck: () => game.say("stuck"),
  rotate: () => game.say("rotate"),
  look: () => game.look(),
  help: () => game.scenes.open("help"),
};

document.getElementById("call").addEventListener("click", actions.call);
document.getElementById("look").addEventListener("click", actions.look);
document.getElementById("stuck").addEventListener("click", () => (game.scenes.stuck.classList.contains("rotates") ? actions.rotate() : actions.stuck()));
document.querySelector("[data-pause]").addEventListener("click", () => post(urls.pause));
document.querySelector("[data-resume]").addEventListener("click", () => post(urls.resume));
document.querySelector("[data-next]").addEventListener("click", () => post(game.table.result?.next ?? urls.next));

new Gestures(felt, game.hand);
listenToKeys(game.hand, actions);
preferences.listen((name) => name === "four" && felt.rearrange());

// --- Coming and going ----------------------------------------------------------------------------------------

async function stayAwake() {
  try {
    if (!document.hidden) await navigator.wakeLock?.request("screen");
  } catch {
    // Refused on low battery or plain http: the phone then sleeps as it always does.
  }
}

// Alone nobody minds the pause; at a table with others the game goes on.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) stayAwake();
  else if (game.isOpen() && game.isAlone()) {
    sessionStorage.setItem(LEFT_AT, String(Date.now()));
    post(urls.pause);
  }
});

// Reloading hides the page for a moment: that pause is taken back.
let isReloaded = Date.now() - Number(sessionStorage.getItem(LEFT_AT) ?? 0) < RELOAD_MS;

function afterReload() {
  if (!isReloaded || game.table.phase !== "paused") return;
  isReloaded = false;
  post(urls.resume);
}

game.hello(hello);
afterReload();
game.link.open(hello.seq);
stayAwake();
new ResizeObserver(() => felt.resized()).observe(root);
setInterval(() => sayFoundations(list, game.places), LIST_EVERY_MS);
sayFoundations(list, game.places);
root.dataset.ready = "";
