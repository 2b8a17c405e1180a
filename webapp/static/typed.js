// Typing a round: steppers, the score while one types, and a draft that survives a reload or a sleeping phone.

import { csrf } from "./page.js";

const form = document.getElementById("typed");
const store = `nerts-draft-${form.dataset.draft}`;

function step(stepper, by) {
  const field = stepper.querySelector("input");
  const most = Number(stepper.dataset.most);
  const value = field.value.trim() === "" ? (by > 0 ? 0 : 1) : Number(field.value);
  if (!Number.isInteger(value)) return;
  field.value = Math.min(most, Math.max(0, value + by));
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// Holding a button goes on counting, faster after a while.
let holding = 0;
form.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("[data-by]");
  if (!button || event.button) return;
  const stepper = button.closest("[data-stepper]"), by = Number(button.dataset.by);
  step(stepper, by);
  let wait = 420;
  const again = () => { step(stepper, by); wait = Math.max(60, wait * 0.75); holding = setTimeout(again, wait); };
  holding = setTimeout(again, wait);
});
for (const kind of ["pointerup", "pointercancel", "pointerleave", "contextmenu"]) {
  document.addEventListener(kind, () => clearTimeout(holding), true);
}
// A keyboard or screen reader clicks without a pointer.
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-by]");
  if (button && event.detail === 0) step(button.closest("[data-stepper]"), Number(button.dataset.by));
});

form.addEventListener("focusin", (event) => event.target.matches("[data-stepper] input") && event.target.select());
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-stepper] input")) return;
  const fields = [...form.querySelectorAll("[data-stepper] input")];
  const next = fields[fields.indexOf(event.target) + 1];
  event.preventDefault();
  if (next) next.focus();
  else event.target.blur();
});

form.addEventListener("change", (event) => {
  const { name, value, checked } = event.target;
  const seat = name === "caller" ? value : checked && name.startsWith("also-") ? name.slice(5) : null;
  const field = form.elements[`left-${seat}`];
  // Whoever calls has none left. Typed numbers of the others stay as they are.
  if (field && field.value === "") field.value = "0";
});

let asked = 0, timer = 0;
async function preview() {
  const number = ++asked;
  try {
    const answer = await fetch(form.dataset.preview, {
      method: "POST", body: new FormData(form), headers: { "X-CSRFToken": csrf(), Accept: "application/json" },
    });
    if (!answer.ok || number !== asked) return;
    for (const [seat, score] of Object.entries(await answer.json())) {
      const output = form.querySelector(`[data-score="${seat}"]`);
      output.textContent = score.text;
      output.toggleAttribute("data-negative", score.negative);
    }
  } catch {
    // Without a connection there is no preview; typing goes on.
  }
}

const KEPT = /^(out|left|kings|false_calls|caller|also)/;
function keep() {
  if (!form.dataset.draft) return;
  const values = [...new FormData(form)].filter(([name]) => KEPT.test(name));
  localStorage.setItem(store, JSON.stringify(Object.fromEntries(values)));
}

function recall() {
  const untouched = ![...form.querySelectorAll("[data-stepper] input")].some((field) => field.value !== "");
  if (!form.dataset.draft || !untouched) return;
  const values = JSON.parse(localStorage.getItem(store) ?? "{}");
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements[name];
    if (field?.type === "checkbox") field.checked = true;
    else if (field) field.value = value;
  }
}

form.addEventListener("input", () => { keep(); clearTimeout(timer); timer = setTimeout(preview, 150); });
form.addEventListener("submit", () => localStorage.removeItem(store));
recall();
preview();
