// Sends photos one by one, with progress, and again when the network fails: the server keeps each photo once.

import { csrf, tell } from "./page.js";

const form = document.getElementById("upload");
const shots = document.getElementById("shots");
const read = document.getElementById("read");
const TRIES = 6;
let open = 0, chain = Promise.resolve();

function shot(file) {
  const item = document.createElement("li");
  item.className = "shot";
  const image = document.createElement("img");
  image.src = URL.createObjectURL(file);
  image.alt = file.name;
  const state = document.createElement("span");
  state.className = "state";
  state.textContent = form.dataset.waiting;
  item.append(image, state);
  shots.append(item);
  return { item, state };
}

function send(file, state) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-CSRFToken", csrf());
    request.setRequestHeader("Accept", "application/json");
    request.timeout = 120000;
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) state.textContent = `${Math.round((100 * event.loaded) / event.total)} %`;
    };
    request.onload = () => (request.status < 500 && request.status !== 429 ? resolve(request) : reject(new Error()));
    request.onerror = request.ontimeout = () => reject(new Error());
    const body = new FormData();
    body.append("photo", file);
    request.send(body);
  });
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function upload(file, { item, state }) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    try {
      const answer = await send(file, state);
      if (answer.status === 200) return done(item, state, JSON.parse(answer.responseText).removals[0]);
      return refused(item, sentence(answer));
    } catch {
      state.textContent = form.dataset.again;
      await pause(Math.min(2 ** attempt, 15));
    }
  }
  const again = document.createElement("button");
  again.className = "button slim";
  again.type = "button";
  again.textContent = form.dataset.retry;
  again.onclick = () => { again.remove(); queue(file, { item, state }); };
  state.replaceChildren(again);
}

function sentence(answer) {
  try { return JSON.parse(answer.responseText).sentence; } catch { return answer.statusText; }
}

function done(item, state, removal) {
  state.textContent = form.dataset.sent;
  state.dataset.done = "";
  // The same form that the page has for photos sent before: a blurred one is taken off at once.
  const remove = Object.assign(document.createElement("form"), { method: "post", action: removal });
  const token = Object.assign(document.createElement("input"), { type: "hidden", name: "csrf_token", value: csrf() });
  const button = document.createElement("button");
  button.setAttribute("aria-label", form.dataset.remove);
  button.append(Object.assign(document.createElement("span"), { textContent: "×", ariaHidden: "true" }));
  remove.append(token, button);
  item.append(remove);
}

function refused(item, text) {
  item.remove();
  tell(text, "bad");
}

function queue(file, parts) {
  open += 1;
  ready();
  chain = chain.then(() => upload(file, parts)).finally(() => { open -= 1; ready(); });
}

function ready() {
  const kept = shots.querySelectorAll("form").length;
  read.disabled = open > 0 || kept === 0;
  document.getElementById("how")?.toggleAttribute("hidden", shots.children.length > 0);
}

function take(input) {
  tell("");
  for (const file of input.files) queue(file, shot(file));
  input.value = "";
}

form.addEventListener("change", (event) => event.target.matches("[data-photo]") && take(event.target));
// On a slow network photos may have been chosen before this was loaded.
for (const input of form.querySelectorAll("[data-photo]")) if (input.files.length) take(input);
