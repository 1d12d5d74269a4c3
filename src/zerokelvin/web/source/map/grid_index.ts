// Points sorted into the cells of a grid: the nearest to a place, those inside a polygon, the next in a direction.

import { insidePolygon, type Point } from "./polygon.ts";

export type Direction = "left" | "right" | "up" | "down";
const PER_CELL = 4;

export class GridIndex {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
  private readonly across: number;
  private readonly up: number;
  private readonly wide: number;
  private readonly high: number;
  private readonly starts: Uint32Array;
  private readonly order: Uint32Array;

  constructor(
    private readonly x: Float32Array,
    private readonly y: Float32Array,
  ) {
    let left = Infinity, right = -Infinity, bottom = Infinity, top = -Infinity;
    for (let i = 0; i < x.length; i++) {
      left = Math.min(left, x[i]!), right = Math.max(right, x[i]!);
      bottom = Math.min(bottom, y[i]!), top = Math.max(top, y[i]!);
    }
    if (x.length === 0) left = right = bottom = top = 0;
    this.left = left, this.right = right, this.bottom = bottom, this.top = top;
    const side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(x.length / PER_CELL))));
    this.across = right > left ? side : 1;
    this.up = top > bottom ? side : 1;
    this.wide = (right - left) / this.across || 1;
    this.high = (top - bottom) / this.up || 1;
    const starts = new Uint32Array(this.across * this.up + 1);
    const cells = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) {
      const cell = this.row(y[i]!) * this.across + this.column(x[i]!);
      cells[i] = cell;
      starts[cell + 1]!++;
    }
    for (let c = 0; c < this.across * this.up; c++) starts[c + 1]! += starts[c]!;
    const next = starts.slice();
    this.order = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) this.order[next[cells[i]!]!++] = i;
    this.starts = starts;
  }

  /** The point nearest to a place, at most so far away; the lowest of equally near ones; −1 where there is none. */
  nearest(px: number, py: number, within: number): number {
    let best = -1;
    let least = within * within;
    const [c0, c1] = [this.column(px - within), this.column(px + within)];
    const [r0, r1] = [this.row(py - within), this.row(py + within)];
    for (let row = r0; row <= r1; row++) {
      const end = this.starts[row * this.across + c1 + 1]!;
      for (let p = this.starts[row * this.across + c0]!; p < end; p++) {
        const i = this.order[p]!;
        const square = (this.x[i]! - px) ** 2 + (this.y[i]! - py) ** 2;
        if (square < least || (square === least && (best < 0 || i < best))) least = square, best = i;
      }
    }
    return best;
  }

  /** The points inside a polygon (even–odd rule), ascending.
   *
   * Cells no side runs through are taken or left whole, and neighbours among them alike.
   */
  inside(polygon: readonly Point[]): Uint32Array {
    if (polygon.length < 3) return new Uint32Array(0);
    const crossed = this.crossed(polygon);
    const corners = Float64Array.from(polygon.flat());
    const taken = new Uint8Array(this.x.length);
    let count = 0;
    for (let row = 0; row < this.up; row++) {
      let whole: boolean | null = null; // whether the cells here are inside, while no side has come
      for (let column = 0; column < this.across; column++) {
        const cell = row * this.across + column;
        if (crossed[cell]) whole = null;
        else whole ??= insidePolygon(this.left + (column + 0.5) * this.wide, this.bottom + (row + 0.5) * this.high, corners);
        if (whole === false) continue;
        for (let p = this.starts[cell]!; p < this.starts[cell + 1]!; p++) {
          const i = this.order[p]!;
          if (whole || insidePolygon(this.x[i]!, this.y[i]!, corners)) taken[i] = 1, count++;
        }
      }
    }
    const found = new Uint32Array(count);
    for (let i = 0, k = 0; k < count; i++) if (taken[i]) found[k++] = i;
    return found;
  }

  /** The next point in a direction: near, and rather straight on than aside; −1 where there is none. */
  towards(from: number, direction: Direction): number {
    const [dx, dy] = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] }[direction] as [number, number];
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.x.length; i++) {
      const [across, up] = [this.x[i]! - this.x[from]!, this.y[i]! - this.y[from]!];
      const along = across * dx + up * dy;
      const aside = Math.abs(across * dy) + Math.abs(up * dx);
      const cost = along + 2 * aside;
      if (along > 0 && aside <= along && cost < least) least = cost, best = i;
    }
    return best;
  }

  private column(px: number): number {
    return Math.max(0, Math.min(this.across - 1, Math.floor((px - this.left) / this.wide)));
  }

  private row(py: number): number {
    return Math.max(0, Math.min(this.up - 1, Math.floor((py - this.bottom) / this.high)));
  }

  /** Cells through which a side of the polygon may run, and their neighbours above and below, for rounding. */
  private crossed(polygon: readonly Point[]): Uint8Array {
    const marks = new Uint8Array(this.across * this.up);
    polygon.forEach(([ax, ay], k) => {
      const [bx, by] = polygon[(k + 1) % polygon.length]!;
      const [first, last] = [this.column(Math.min(ax, bx)), this.column(Math.max(ax, bx))];
      const [low, high] = [Math.min(ax, bx), Math.max(ax, bx)];
      const slope = bx === ax ? 0 : (by - ay) / (bx - ax);
      for (let column = Math.max(0, first - 1); column <= Math.min(this.across - 1, last + 1); column++) {
        const edge = this.left + column * this.wide;
        const one = ay + slope * (Math.min(Math.max(edge, low), high) - ax);
        const two = bx === ax ? by : ay + slope * (Math.min(Math.max(edge + this.wide, low), high) - ax);
        const bottom = Math.max(0, this.row(Math.min(one, two)) - 1);
        const top = Math.min(this.up - 1, this.row(Math.max(one, two)) + 1);
        for (let row = bottom; row <= top; row++) marks[row * this.across + column] = 1;
      }
    });
    return marks;
  }
}
