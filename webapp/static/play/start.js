// New table: remembers the name and the choice of bots for the next one.

const KEY = "nerts-table";
const form = document.getElementById("new-table");
const bots = [...form.querySelectorAll("[name=bot]")];

try {
  const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
  if (!form.elements.name.value) form.elements.name.value = kept.name ?? "";
  if (kept.bots && !form.querySelector(".error")) bots.forEach((field, at) => (field.value = kept.bots[at] ?? ""));
} catch {
  // Storage is off or holds something else: the form is as it came.
}

form.addEventListener("submit", () => {
  try {
    localStorage.setItem(KEY, JSON.stringify({ name: form.elements.name.value, bots: bots.map((field) => field.value) }));
  } catch {
    // Then it has to be typed again next time.
  }
});
