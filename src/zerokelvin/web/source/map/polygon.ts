// Polygons drawn by hand.

export type Point = readonly [number, number];

/** Whether a place is inside, by the even–odd rule; a polygon may cross itself. Corners are x, y, x, y, … */
export function insidePolygon(px: number, py: number, corners: ArrayLike<number>): boolean {
  let inside = false;
  let [bx, by] = [corners[corners.length - 2]!, corners[corners.length - 1]!];
  for (let k = 0; k < corners.length; k += 2) {
    const ax = corners[k]!;
    const ay = corners[k + 1]!;
    if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) inside = !inside;
    bx = ax;
    by = ay;
  }
  return inside;
}

/** The same line with corners left out that lie within a tolerance of it (Douglas and Peucker 1973). */
export function simplified(line: readonly Point[], tolerance: number): Point[] {
  if (line.length < 3) return [...line];
  const kept = new Uint8Array(line.length);
  kept[0] = kept[line.length - 1] = 1;
  const waiting: [number, number][] = [[0, line.length - 1]];
  for (let span = waiting.pop(); span; span = waiting.pop()) {
    const [from, to] = span;
    let farthest = -1;
    let most = tolerance;
    for (let i = from + 1; i < to; i++) {
      const away = distanceToSide(line[i]!, line[from]!, line[to]!);
      if (away > most) most = away, farthest = i;
    }
    if (farthest > 0) {
      kept[farthest] = 1;
      waiting.push([from, farthest], [farthest, to]);
    }
  }
  return line.filter((_, i) => kept[i]);
}

function distanceToSide([px, py]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const t = square === 0 ? 0 : Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / square));
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
}
