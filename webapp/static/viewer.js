// A photo with boxes: drag to pan, pinch or buttons to zoom, tap a box. The view is the SVG's view box.

const CLOSEST = 12;

export class Viewer {
  constructor(element, onTap) {
    this.element = element;
    this.onTap = onTap;
    this.views = [...element.querySelectorAll("svg[data-view]")];
    this.pointers = new Map();
    this.box = this.views.map((svg) => whole(svg));
    this.shown = 0;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) element.addEventListener(kind, (event) => this.up(event));
    element.addEventListener("click", (event) => this.click(event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.draw();
  }

  get svg() { return this.views[this.shown]; }

  choose(number) {
    this.shown = number;
    this.views.forEach((svg, at) => svg.toggleAttribute("hidden", at !== number));
    for (const tab of document.querySelectorAll("[role=tab][data-photo]")) {
      tab.setAttribute("aria-selected", String(Number(tab.dataset.photo) === number));
    }
    this.draw();
  }

  redraw(overlays) {
    this.views.forEach((svg, at) => { svg.querySelector("[data-overlay]").innerHTML = overlays[at]; });
  }

  adding(on) { this.element.classList.toggle("adding", on); }

  // Shows a card close up, in the photo that is open if it lies there.
  focus(id) {
    const found = [this.svg, ...this.views].map((svg) => svg.querySelector(`[data-card="${id}"]`)).find(Boolean);
    if (!found) return;
    this.choose(Number(found.closest("svg").dataset.view));
    for (const box of this.element.querySelectorAll(".chosen")) box.classList.remove("chosen");
    found.classList.add("chosen");
    const { x, y, width, height } = found.getBBox();
    const size = Math.max(width, height) * 3;
    this.box[this.shown] = { x: x + width / 2 - size / 2, y: y + height / 2 - size / 2, width: size, height: size };
    this.draw();
  }

  // Cut-outs of a card, one for each photo that shows it.
  cuts(id) {
    return this.views.map((svg) => {
      const found = svg.querySelector(`[data-card="${id}"]`);
      if (!found) return null;
      const cut = svg.cloneNode(false);
      for (const name of [...cut.attributes].map((one) => one.name)) cut.removeAttribute(name);
      const xs = [...found.points].map((point) => point.x), ys = [...found.points].map((point) => point.y);
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      const size = Math.max(Math.max(...xs) - left, Math.max(...ys) - top);
      cut.setAttribute("viewBox", `${left - size * 0.3} ${top - size * 0.3} ${size * 1.6} ${size * 1.6}`);
      cut.setAttribute("class", "cut");
      cut.setAttribute("aria-hidden", "true");
      const outline = found.cloneNode(false);
      for (const name of ["class", "data-card"]) outline.removeAttribute(name);
      cut.append(svg.querySelector("image").cloneNode(), outline);
      return cut;
    }).filter(Boolean);
  }

  nearest(photo, x, y) {
    let best = null, least = Infinity;
    for (const one of this.views[photo].querySelectorAll("[data-card]")) {
      const box = one.getBBox();
      const distance = Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
      if (distance < least) [best, least] = [one.dataset.card, distance];
    }
    return best;
  }

  zoom(factor, at = null) {
    const box = this.box[this.shown], full = whole(this.svg);
    const width = Math.min(full.width * 1.2, Math.max(full.width / CLOSEST, box.width / factor));
    const change = width / box.width;
    const centre = at ?? { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    this.box[this.shown] = {
      x: centre.x - (centre.x - box.x) * change, y: centre.y - (centre.y - box.y) * change,
      width, height: box.height * change,
    };
    this.draw();
  }

  whole() {
    this.box[this.shown] = whole(this.svg);
    this.draw();
  }

  draw() {
    const { x, y, width, height } = this.box[this.shown];
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(this.svg.getScreenCTM().inverse());
  }

  down(event) {
    if (event.target.closest("button")) return;
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.start = this.pointers.size === 1 ? { x: event.clientX, y: event.clientY, moved: false } : { moved: true };
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.start.moved || Math.hypot(now.x - this.start.x, now.y - this.start.y) > 8) {
      this.start.moved = true;
      this.pan(before, now);
    }
    this.pointers.set(event.pointerId, now);
  }

  pan(before, now) {
    const scale = this.svg.getScreenCTM().a, box = this.box[this.shown];
    this.box[this.shown] = { ...box, x: box.x - (now.x - before.x) / scale, y: box.y - (now.y - before.y) / scale };
    this.draw();
  }

  pinch(id, before, now) {
    const other = [...this.pointers].find(([key]) => key !== id)[1];
    const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y);
    const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
    this.zoom(apart(now) / Math.max(1, apart(before)), this.place(middle));
  }

  up(event) {
    this.pointers.delete(event.pointerId);
  }

  // A click, not the lifting of the finger: the click that follows would land on whatever had opened there.
  click(event) {
    if (event.target.closest("button") || this.start?.moved) return;
    const { x, y } = this.place(event);
    // The pointer is captured by the frame; what lies beneath it is asked for.
    const target = document.elementFromPoint(event.clientX, event.clientY) ?? this.element;
    this.onTap(target, this.shown, Math.round(x), Math.round(y));
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, this.place(event));
  }
}

function whole(svg) {
  return { x: 0, y: 0, width: Number(svg.dataset.width), height: Number(svg.dataset.height) };
}
