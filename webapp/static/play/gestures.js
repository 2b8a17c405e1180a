// Fingers and mice on the table: a tap, or a drag once the pointer has moved far enough.

const SLIP = 7;

export class Gestures {
  // `hand`: { tap(found, x, y), grasp(found) -> bool, follow(dx, dy), drop(found, x, y), let_go() }.
  constructor(felt, hand) {
    this.felt = felt;
    this.hand = hand;
    this.now = null;
    const { root } = felt;
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", (event) => this.up(event));
    root.addEventListener("pointercancel", () => this.cancel());
    root.addEventListener("click", (event) => this.clicked(event));
  }

  point(event) {
    const box = this.felt.root.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event) {
    if (event.button !== 0 || !event.isPrimary || event.target.closest("[data-move], .controls, .cover")) return;
    const { x, y } = this.point(event);
    this.now = { id: event.pointerId, x, y, found: this.felt.find(x, y), dragging: false };
  }

  move(event) {
    const { now } = this;
    if (now?.id !== event.pointerId) return;
    const { x, y } = this.point(event), dx = x - now.x, dy = y - now.y;
    if (!now.dragging) {
      if (Math.hypot(dx, dy) < SLIP || !now.found) return;
      now.dragging = this.hand.grasp(now.found);
      if (!now.dragging) return;
      this.felt.root.setPointerCapture(event.pointerId);
    }
    this.hand.follow(dx, dy);
  }

  up(event) {
    const { now } = this;
    if (now?.id !== event.pointerId) return;
    this.now = null;
    this.handledAt = performance.now();
    const { x, y } = this.point(event);
    if (now.dragging) this.hand.drop(now.found, x, y);
    else this.hand.tap(now.found, x, y);
  }

  cancel() {
    if (this.now?.dragging) this.hand.let_go();
    this.now = null;
  }

  // Keyboards and screen readers click without a pointer; a finger's click has been dealt with already.
  clicked(event) {
    const target = event.target.closest("[data-move]");
    if (target) return this.hand.choose(target.dataset.move);
    const pile = event.target.closest("[data-pile]");
    if (!pile || performance.now() - (this.handledAt ?? -1000) < 400) return;
    this.hand.touch(pile.dataset.pile);
  }
}
