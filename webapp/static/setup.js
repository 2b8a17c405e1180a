// New match: names of earlier evenings to tap, and the house rules that begin as the preset chosen last.

const form = document.getElementById("setup");
const remembered = document.getElementById("remembered");
if (remembered) {
  remembered.hidden = false;
  remembered.addEventListener("click", (event) => {
    const name = event.target.closest("[data-name]")?.dataset.name;
    const fields = [...form.querySelectorAll('[name^="name-"]')];
    if (!name || fields.some((field) => field.value === name)) return;
    const free = fields.find((field) => field.value === "");
    if (!free) return;
    free.closest("details")?.setAttribute("open", "");
    free.value = name;
    event.target.closest("[data-name]").setAttribute("aria-disabled", "true");
  });
}

form.addEventListener("change", (event) => {
  if (event.target.name !== "preset" || !event.target.dataset.values) return;
  const values = JSON.parse(event.target.dataset.values);
  form.elements.base.value = event.target.value;
  for (const field of form.querySelectorAll("[data-rule]")) {
    const value = values[field.name];
    if (field.type === "checkbox") field.checked = value;
    else field.value = value ?? "";
  }
});
