// Shows how far the reading is; when it has ended, the page shows what came of it.

const panel = document.getElementById("reading");

async function look() {
  try {
    const answer = await fetch(panel.dataset.progress, { cache: "no-store" });
    if (answer.status === 404 || (answer.ok && answer.headers.get("X-Stage") !== "reading")) return location.reload();
    if (answer.ok) panel.innerHTML = await answer.text();
  } catch {
    // The phone was asleep or out of reach; the reading goes on without it.
  }
  setTimeout(look, 700);
}

setTimeout(look, 400);
