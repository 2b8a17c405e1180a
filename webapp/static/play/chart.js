// The running score as steps over time, one line for each seat.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000, HEIGHT = 100;
const DASHES = ["", "14 8", "4 6", "20 6 4 6", "2 10", "10 3", "30 6", "6 3 2 3"];

const drawn = (name, values) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  return element;
};

export class Chart {
  // `scores`: [[at, s1, s2, …], …] in order of time.
  constructor(svg, scores, length, seats) {
    this.svg = svg;
    this.scores = scores;
    this.length = Math.max(1, length);
    const values = scores.flatMap((row) => row.slice(1));
    this.high = Math.max(1, ...values);
    this.low = Math.min(0, ...values);
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.replaceChildren(this.level(0), ...seats.map((_, at) => this.run(at)), (this.cursor = drawn("line", { class: "cursor", y1: 0, y2: HEIGHT })));
    this.show(0);
  }

  x(at) {
    return (WIDTH * at) / this.length;
  }

  y(value) {
    return HEIGHT - 4 - ((HEIGHT - 8) * (value - this.low)) / (this.high - this.low || 1);
  }

  level(value) {
    return drawn("line", { class: "level", x1: 0, x2: WIDTH, y1: this.y(value), y2: this.y(value) });
  }

  run(seat) {
    let path = "";
    for (const row of this.scores) {
      const x = this.x(row[0]).toFixed(1), y = this.y(row[seat + 1]).toFixed(1);
      path += path ? `H${x}V${y}` : `M${x} ${y}`;
    }
    return drawn("path", { class: `run seat-${seat + 1}`, d: `${path}H${WIDTH}`, "stroke-dasharray": DASHES[seat] });
  }

  // The scores at a moment, one for each seat.
  at(moment) {
    let found = this.scores[0];
    for (const row of this.scores) {
      if (row[0] > moment) break;
      found = row;
    }
    return found ? found.slice(1) : [];
  }

  show(moment) {
    const x = this.x(moment).toFixed(1);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }
}
