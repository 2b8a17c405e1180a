// Replays the piles of a round: cards come one by one, all piles side by side, from the aces up.

const replay = document.getElementById("replay");
const piles = [...replay.querySelectorAll(".cards")].map((pile) => [...pile.querySelectorAll("[data-played]")]);
const order = [];
for (let at = 0; at < Math.max(...piles.map((pile) => pile.length)); at += 1) {
  for (const pile of piles) if (pile[at]) order.push(pile[at]);
}
let shown = order.length, timer = 0;

function show(count) {
  shown = Math.min(order.length, Math.max(0, count));
  order.forEach((card, at) => {
    card.classList.toggle("waiting", at >= shown);
    card.classList.toggle("chosen", at === shown - 1 && shown < order.length);
  });
}

function stop() { clearInterval(timer); timer = 0; }

replay.querySelector(".player-controls").hidden = false;
replay.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const playing = timer !== 0;
  stop();
  if (button.dataset.go) return show(shown + Number(button.dataset.go));
  if (playing) return;
  if (shown === order.length) show(0);
  timer = setInterval(() => { show(shown + 1); if (shown === order.length) stop(); }, 350);
});
