// The line to the server: what happens comes as events, moves go out one after another.
//
// A move keeps its number when it is sent again after a lost answer, so that it is never carried out twice. The
// browser resumes the events by itself; this only notices when it gives up, and says when the line is down.

const QUIET_MS = 3000, AGAIN_MS = 700, GIVE_UP_MS = 15000, ANSWER_MS = 8000, ASLEEP_MS = 20000;
const EVENTS = ["hello", "change", "status", "gone"];

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Link {
  // `ear`: { hello(data), change(data), status(data), gone(), online(is) }.
  constructor(urls, csrf, ear) {
    this.urls = urls;
    this.csrf = csrf;
    this.ear = ear;
    this.client = Math.random().toString(36).slice(2, 14);
    this.number = 0;
    this.queue = Promise.resolve();
    this.isOnline = true;
    document.addEventListener("visibilitychange", () => this.woken());
    window.addEventListener("online", () => this.open());
    window.addEventListener("pagehide", () => this.close());
    window.addEventListener("pageshow", (event) => event.persisted && this.open());
  }

  // --- Listening -------------------------------------------------------------------------------------------

  open(since = this.seq) {
    this.close();
    this.seq = since;
    this.source = new EventSource(since === undefined ? this.urls.events : `${this.urls.events}?since=${since}`);
    this.source.addEventListener("open", () => this.heard());
    this.source.addEventListener("error", () => this.failed());
    for (const name of EVENTS) this.source.addEventListener(name, (event) => this.hear(name, event));
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  hear(name, event) {
    this.heard();
    if (event.lastEventId) this.seq = Number(event.lastEventId);
    if (name === "gone") this.close();
    this.ear[name](JSON.parse(event.data));
  }

  heard() {
    this.heardAt = performance.now();
    clearTimeout(this.silence);
    this.silence = 0;
    this.say(true);
  }

  // The stream ends now and then on purpose; only a line that stays down is worth a word.
  failed() {
    this.silence ||= setTimeout(() => this.say(false), QUIET_MS);
    if (this.source?.readyState === EventSource.CLOSED) this.reopen();
  }

  async reopen() {
    await wait(AGAIN_MS);
    try {
      const answer = await fetch(this.urls.legal, { headers: { Accept: "application/json" }, cache: "no-store" });
      if (answer.status === 404) return this.ear.gone();
    } catch {
      // Still down; the new stream will say so.
    }
    if (!document.hidden) this.open();
  }

  woken() {
    if (!document.hidden && performance.now() - (this.heardAt ?? 0) > ASLEEP_MS) this.open();
  }

  say(is) {
    if (is === this.isOnline) return;
    this.isOnline = is;
    this.ear.online(is);
  }

  // --- Sending ---------------------------------------------------------------------------------------------

  // Sends a move after those before it. Resolves to the server's answer, { ok, seq } or { ok: false, error }.
  send(move) {
    this.number += 1;
    const body = JSON.stringify({ move, number: this.number, client: this.client });
    const answer = this.queue.then(() => this.deliver(body));
    this.queue = answer.catch(() => {});
    return answer;
  }

  async deliver(body) {
    const until = performance.now() + GIVE_UP_MS;
    for (;;) {
      try {
        return await this.post(this.urls.move, body, AbortSignal.timeout(ANSWER_MS));
      } catch {
        this.say(false);
        if (performance.now() > until) return { ok: false, error: null, seq: this.seq };
        await wait(AGAIN_MS);
      }
    }
  }

  // Throws where there is no line, or the server stumbles: then it is tried again.
  async post(url, body = "{}", signal = undefined) {
    const headers = { "Content-Type": "application/json", "X-CSRFToken": this.csrf, Accept: "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body, signal, keepalive: true });
    if (answer.status >= 500) throw new Error(String(answer.status));
    this.say(true);
    return answer.json();
  }

  async legal() {
    const answer = await fetch(this.urls.legal, { headers: { Accept: "application/json" }, cache: "no-store" });
    return answer.ok ? (await answer.json()).moves : [];
  }
}
