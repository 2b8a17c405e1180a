// The keyboard of a laptop: one key for each pile and each thing to say.

const PILES = { p: "N", "0": "N", w: "W" };

export function listenToKeys(hand, actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, input, select, textarea")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // On a button, Enter and the space bar press it.
    if ((key === " " || key === "Enter") && event.target.closest("button, a, summary")) return;
    if (act(key, hand, actions)) event.preventDefault();
  });
}

function act(key, hand, actions) {
  if (/^[1-9]$/.test(key)) return hand.key(key);
  if (key in PILES) return hand.key(PILES[key]);
  if (key === "f") return hand.key("F");
  if (key === " ") return hand.stock();
  if (key === "Enter") return hand.goObvious();
  if (key === "Escape") return hand.let_go();
  const named = { n: "call", k: "stuck", r: "rotate", h: "look", "?": "help" }[key];
  return named ? actions[named]() : false;
}
