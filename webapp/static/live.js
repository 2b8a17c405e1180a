// Keeps the scoreboard as the server has it, and the screen on while it is open.

const board = document.querySelector("[data-live]");
const PAUSE = 2000, SLOWEST = 30000;
let pause = PAUSE, etag = null, timer = 0;

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await fetch(board.dataset.live, { headers, cache: "no-store" });
    if (answer.status === 200) {
      // The first answer is what the page shows already; replacing it would only cost a blink.
      const html = await answer.text();
      if (etag !== null || !sameAs(html)) replace(html);
      etag = answer.headers.get("ETag");
    }
    pause = answer.ok || answer.status === 304 ? PAUSE : Math.min(2 * pause, SLOWEST);
  } catch {
    pause = Math.min(2 * pause, SLOWEST);
  }
  timer = setTimeout(look, pause);
}

const withoutForms = (html) => html.replace(/name="csrf_token" value="[^"]*"/g, "").trim();
const sameAs = (html) => withoutForms(html) === withoutForms(board.innerHTML);

function replace(html) {
  // Whoever is about to tap keeps the button under the thumb until the page is at rest.
  if (board.querySelector("button:active, a:active")) return setTimeout(() => replace(html), 300);
  const focused = told(document.activeElement);
  const scrolled = board.querySelector(".scroll")?.scrollLeft ?? 0;
  board.innerHTML = html;
  const area = board.querySelector(".scroll");
  if (area) area.scrollLeft = scrolled;
  // Whoever goes through the page by keyboard or screen reader stays where he was.
  if (focused) [...board.querySelectorAll(TO_FOCUS)].find((one) => told(one) === focused)?.focus({ preventScroll: true });
}

const TO_FOCUS = "a, button, [tabindex]";
const told = (one) => board.contains(one) ? one.getAttribute("aria-label") ?? one.textContent.trim() : "";

async function stayAwake() {
  if (!("wake" in board.dataset) || document.hidden) return;
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // Refused on low battery or plain http: the phone then sleeps as it always does.
  }
}

document.addEventListener("visibilitychange", () => { look(); stayAwake(); });
window.addEventListener("online", look);
timer = setTimeout(look, PAUSE);
stayAwake();
