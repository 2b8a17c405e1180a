// Every page: a button is pressed once. The server counts a tap once anyway; this only spares the wait.

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.hasAttribute("data-once")) return;
  if (button.ariaDisabled === "true") return event.preventDefault();
  button.setAttribute("aria-disabled", "true");
});

// A page that comes back from the browser's memory can be sent again.
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-once][aria-disabled]")) button.removeAttribute("aria-disabled");
});

export const csrf = () => document.body.dataset.csrf;

// Say something at the top of the page, where screen readers hear it.
export function tell(text, kind = "warn") {
  const place = document.getElementById("told");
  const notice = document.createElement("div");
  notice.className = `notice ${kind}`;
  notice.append(Object.assign(document.createElement("p"), { textContent: text }));
  place.replaceChildren(...(text ? [notice] : []));
  place.hidden = !text;
}
