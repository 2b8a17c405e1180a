// Where everything lies on the table, in CSS pixels from its top left corner. Pure geometry: no page in here.
//
// A *spot* is where the cards of one place lie: { x, y, width, fan, step, size }. `fan` is "none" (a stack), "down"
// or "right"; `step` the distance between two cards of a fan.

export const RATIO = 1.4;
const MARGIN = 6, GAP = 6, CLOSE = 3, TITLE = 20, LINE = 34;
const BUTTONS = 96, ASIDE = 0.38;
const WIDE = 760, LOW = 480;
const FULL_FROM = 62, SMALL_FROM = 28;

export const sizeFor = (width) => (width >= FULL_FROM ? "full" : width >= SMALL_FROM ? "small" : "tiny");

const spot = (x, y, width, more = {}) => ({ x, y, width, fan: "none", step: 0, room: 0, size: sizeFor(width), ...more });

// Lays out a table. `table`: { seats: ["P1", …], own: "P2" or null, work: piles of each seat, foundations: how many
// there are now, piles: true for a record that knows foundations only, idle: true where nobody plays (a replay) }.
export function arrange(width, height, table) {
  if (table.piles) return pilesOnly(width, height, table);
  const others = table.seats.filter((seat) => seat !== table.own);
  const places = new Map(), panels = new Map();
  const whole = { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN };
  const shape = width >= WIDE && height >= LOW ? "wide" : width > 1.2 * height ? "low" : "tall";
  const [common, own] = split(whole, shape);
  const strip = seatPanels(common, shape, others, table.work, places, panels);
  const middle = foundations({ ...common, y: strip, height: common.height * (shape === "low" ? 1 : 0.3) }, shape, table, places);
  own.y = shape === "low" ? whole.y : middle.bottom + LINE;
  own.height = whole.y + whole.height - own.y;
  const line = shape === "low" ? { x: own.x, y: whole.y + whole.height - LINE, width: own.width, height: LINE } : { x: own.x, y: middle.bottom, width: own.width, height: LINE };
  if (shape === "low") own.height -= LINE;
  const mine = table.own ? (shape === "wide" ? ownWide : ownTall)(own, table, places) : { width: middle.width };
  return { shape, width, height, places, panels, line, card: mine.width, controls: mine.controls, foundations: middle };
}

function split(whole, shape) {
  if (shape !== "low") return [whole, { ...whole }];
  const left = Math.round(whole.width * 0.46);
  return [{ ...whole, width: left }, { ...whole, x: whole.x + left + 2 * GAP, width: whole.width - left - 2 * GAP }];
}

// The other seats: of all ways to set them in rows the one with the largest cards that stays low enough.
function seatPanels(box, shape, others, work, places, panels) {
  if (!others.length) return box.y;
  const isWide = shape === "wide", limit = isWide ? Math.min(box.height * 0.18, 160) : Math.max(box.height * 0.14, 112);
  let best = null;
  for (const rows of [1, 2, 3]) {
    for (const lines of [1, 2]) {
      const columns = Math.ceil(others.length / rows);
      const most = (box.width - (columns - 1) * GAP) / columns;
      const across = lines === 1 ? work + 2 : Math.max(work, 2);
      const card = Math.min(isWide ? 54 : 40, (most - 8 - (across - 1) * 2) / across);
      const width = Math.min(most, Math.max(8 + across * (card + 2), 150));
      const height = TITLE + lines * (card * RATIO + 2) + 4;
      const fits = rows * (height + 4) <= limit;
      if (!best || (fits && !best.fits) || (fits === best.fits && card > best.card)) best = { rows, lines, columns, width, across, card, height, fits };
    }
  }
  others.forEach((seat, at) => onePanel(box, best, at, seat, work, places, panels));
  return box.y + best.rows * (best.height + 4);
}

function onePanel(box, form, at, seat, work, places, panels) {
  const inset = (box.width - form.columns * form.width - (form.columns - 1) * GAP) / 2;
  const x = box.x + inset + (at % form.columns) * (form.width + GAP);
  const y = box.y + Math.floor(at / form.columns) * (form.height + 4);
  panels.set(seat, { x, y, width: form.width, height: form.height });
  const step = form.card + 2;
  const top = y + TITLE;
  places.set(`${seat}.N`, spot(x + 4, top, form.card));
  places.set(`${seat}.W`, spot(x + 4 + step, top, form.card));
  places.set(`${seat}.S`, spot(x + 4 + step, top, form.card, { hidden: true }));
  for (let pile = 0; pile < work; pile += 1) {
    const place = form.lines === 1
      ? spot(x + 4 + (pile + 2) * step, top, form.card)
      : spot(x + 4 + pile * step, top + form.card * RATIO + 2, form.card);
    places.set(`${seat}.${pile + 1}`, place);
  }
}

// The largest cards that fit in rows of equal length; `long` is how many times as high as a card a place is.
function grid(box, count, cap, limit, long = 1) {
  let best = null;
  for (let rows = 1; rows <= count; rows += 1) {
    const columns = Math.ceil(count / rows);
    const width = Math.min(cap, (box.width - (columns - 1) * CLOSE) / columns, (limit / rows - CLOSE) / (RATIO * long));
    if (!best || width > best.width + 0.5) best = { columns, width, rows };
  }
  return { ...best, rows: Math.ceil(count / best.columns), height: Math.ceil(count / best.columns) * (best.width * RATIO * long + CLOSE) };
}

function foundations(box, shape, table, places) {
  const count = Math.max(4 * table.seats.length, table.foundations);
  const cap = shape === "wide" ? 82 : 58;
  const limit = shape === "low" ? box.height - (box.y - MARGIN) : box.height;
  const form = grid(box, count, cap, limit);
  const across = form.columns * form.width + (form.columns - 1) * CLOSE;
  const left = box.x + (box.width - across) / 2;
  for (let at = 0; at < count; at += 1) {
    const x = left + (at % form.columns) * (form.width + CLOSE), y = box.y + 2 + Math.floor(at / form.columns) * (form.width * RATIO + CLOSE);
    places.set(`F${at + 1}`, spot(x, y, form.width, { size: "small" }));
  }
  return { x: box.x, y: box.y, width: box.width, bottom: box.y + form.height, count };
}

// On a phone: Nerts pile and work piles side by side; stock, waste and buttons at the thumb.
function ownTall(box, table, places) {
  const columns = table.work + 1, seat = table.own;
  const most = Math.max(40, (box.height - 3 * GAP) / (RATIO * 2.6));
  const width = Math.floor(Math.min(86, most, (box.width - (columns - 1) * GAP) / columns));
  const high = width * RATIO, low = Math.max(high, BUTTONS), foot = box.y + box.height - low;
  const gap = columns > 1 ? Math.min(18, (box.width - columns * width) / (columns - 1)) : 0;
  const left = box.x + (box.width - columns * width - (columns - 1) * gap) / 2;
  const room = foot - GAP - box.y;
  const down = { fan: "down", step: high * 0.27, room, size: "full" };
  places.set(`${seat}.N`, spot(left, box.y, width, { ...down, fan: table.open ? "down" : "none" }));
  for (let pile = 1; pile < columns; pile += 1) places.set(`${seat}.${pile}`, spot(left + pile * (width + gap), box.y, width, down));
  const side = width * ASIDE;
  places.set(`${seat}.S`, spot(left, foot, width, { size: "full" }));
  places.set(`${seat}.W`, spot(left + width + GAP, foot, width, { fan: "right", step: side, size: "full" }));
  const after = left + 2 * width + GAP + 2 * side + 10;
  return { width, controls: { x: after, y: foot, width: box.x + box.width - after, height: low } };
}

// On a laptop: everything in one row.
function ownWide(box, table, places) {
  const seat = table.own, columns = table.work + 1, gap = 12, beside = 190 + 20 + 24;
  const room = (box.width - beside - gap * (columns + 1)) / (columns + 2 + 2 * ASIDE);
  const width = Math.floor(Math.min(122, box.height / (RATIO * 2), room));
  const high = width * RATIO, side = width * ASIDE;
  const across = width * (columns + 2 + 2 * ASIDE) + gap * (columns + 1) + beside;
  let x = box.x + Math.max(0, (box.width - across) / 2);
  const down = { fan: "down", step: high * 0.25, room: box.height, size: "full" };
  places.set(`${seat}.N`, spot(x, box.y, width, { ...down, fan: table.open ? "down" : "none" }));
  x += width + gap + 12;
  for (let pile = 1; pile < columns; pile += 1, x += width + gap) places.set(`${seat}.${pile}`, spot(x, box.y, width, down));
  x += 12;
  places.set(`${seat}.S`, spot(x, box.y, width));
  x += width + gap;
  places.set(`${seat}.W`, spot(x, box.y, width, { fan: "right", step: side }));
  x += width + 2 * side + 20;
  return { width, controls: { x, y: box.y, width: 190, height: Math.max(high, 120) } };
}

// A round known from its photos: foundations alone, every card in sight.
function pilesOnly(width, height, table) {
  const places = new Map(), most = 13, step = 0.36;
  const box = { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN };
  const long = 1 + ((most - 1) * step) / RATIO;
  const form = grid(box, table.foundations, 64, box.height, long);
  const across = form.columns * form.width + (form.columns - 1) * CLOSE, left = box.x + (box.width - across) / 2;
  const room = form.width * RATIO * long;
  for (let at = 0; at < table.foundations; at += 1) {
    const x = left + (at % form.columns) * (form.width + CLOSE), y = box.y + Math.floor(at / form.columns) * (room + CLOSE);
    places.set(`F${at + 1}`, spot(x, y, form.width, { fan: "down", step: form.width * step, room, size: "full" }));
  }
  return { shape: "piles", width, height, places, panels: new Map(), line: null, card: form.width, controls: null, foundations: { ...box, bottom: height, count: table.foundations } };
}

// The distance between the cards of a fan of so many.
export function stepOf(where, count) {
  if (where.fan === "none" || count < 2) return 0;
  const room = where.fan === "down" && where.room ? (where.room - where.width * RATIO) / (count - 1) : where.step;
  return Math.max(0, Math.min(where.step, room));
}

// Where the card with this number (from the bottom, of so many shown) lies; `aside` is how far a fan to the right
// has come by then.
export function cardAt(where, at, count, aside = 0) {
  const y = where.fan === "down" ? where.y + stepOf(where, count) * at : where.y;
  return { x: where.x + (where.fan === "right" ? aside : 0), y };
}
