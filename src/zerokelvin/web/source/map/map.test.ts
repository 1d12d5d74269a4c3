import assert from "node:assert/strict";
import { test } from "node:test";
import { GridIndex } from "./grid_index.ts";
import { classColours, contrast, paint, type Rgb, rgb } from "./palette.ts";
import { insidePolygon, type Point, simplified } from "./polygon.ts";
import { Viewpoint } from "./viewpoint.ts";
import { parseColours, parseMap } from "./wire.ts";

/** Numbers in [0, 1) that are the same every time (a linear congruence). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function cloud(n: number, seed: number): [Float32Array, Float32Array] {
  const next = numbers(seed);
  const places = () => Float32Array.from({ length: n }, () => (next() - 0.5) * (next() < 0.1 ? 40 : 2));
  return [places(), places()];
}

test("the nearest point is that of a search through all", () => {
  for (const n of [0, 1, 2, 50, 3000]) {
    const [x, y] = cloud(n, n + 1);
    const index = new GridIndex(x, y);
    const next = numbers(7);
    for (let k = 0; k < 200; k++) {
      const [px, py, within] = [(next() - 0.5) * 50, (next() - 0.5) * 50, next() * 5];
      let best = -1;
      let least = within * within;
      for (let i = 0; i < n; i++) {
        const square = (x[i]! - px) ** 2 + (y[i]! - py) ** 2;
        if (square <= least && (square < least || best < 0)) least = square, best = i;
      }
      assert.equal(index.nearest(px, py, within), best);
    }
  }
});

test("points in one place or on one line have an index, too", () => {
  const same = new Float32Array(20).fill(3);
  assert.equal(new GridIndex(same, same).nearest(3, 3, 1), 0);
  const line = Float32Array.from({ length: 20 }, (_, i) => i);
  const index = new GridIndex(line, same);
  assert.equal(index.nearest(12.2, 3, 1), 12);
  assert.equal(index.nearest(12.2, 3, Infinity), 12);
  assert.equal(index.towards(12, "right"), 13);
  assert.equal(index.towards(12, "left"), 11);
  assert.equal(index.towards(12, "up"), -1);
  assert.equal(index.towards(19, "right"), -1);
});

test("a polygon has the points that the even–odd rule gives each by itself", () => {
  const [x, y] = cloud(4000, 3);
  const index = new GridIndex(x, y);
  const next = numbers(11);
  for (const corners of [3, 4, 9, 80]) {
    for (let k = 0; k < 20; k++) {
      const size = k % 2 ? 3 : 50;
      const polygon = Array.from({ length: corners }, (): Point => [(next() - 0.5) * size, (next() - 0.5) * size]);
      const expected = [...x.keys()].filter((i) => insidePolygon(x[i]!, y[i]!, polygon.flat()));
      assert.deepEqual([...index.inside(polygon)], expected);
    }
  }
  assert.equal(index.inside([[0, 0], [1, 1]]).length, 0);
});

test("a polygon with upright and level sides takes what is within", () => {
  const square = [0, 0, 0, 2, 2, 2, 2, 0];
  assert.equal(insidePolygon(1, 1, square), true);
  assert.equal(insidePolygon(3, 1, square), false);
  assert.equal(insidePolygon(1, -1, square), false);
  const bow = [0, 0, 2, 2, 2, 0, 0, 2];
  assert.equal(insidePolygon(0.2, 1, bow), true);
  assert.equal(insidePolygon(1, 1.8, bow), false);
});

test("a simplified line stays within its tolerance and keeps its ends", () => {
  const line = Array.from({ length: 200 }, (_, i): Point => [i, 10 * Math.sin(i / 20)]);
  const less = simplified(line, 0.5);
  assert.ok(less.length < 60);
  assert.deepEqual([less[0], less.at(-1)], [line[0], line.at(-1)]);
  for (const [px, py] of line) {
    const near = less.slice(1).some(([bx, by], k) => {
      const [ax, ay] = less[k]!;
      const t = Math.max(0, Math.min(1, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)));
      return Math.hypot(px - ax - t * (bx - ax), py - ay - t * (by - ay)) <= 0.5 + 1e-9;
    });
    assert.ok(near);
  }
});

function luminance(colour: Rgb): number {
  const [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(colour: Rgb): [number, number, number] {
  return colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as [
    number, number, number,
  ];
}

test("every class colour has a contrast of 3 : 1 against its page, and no two of 100 are one", () => {
  for (const [dark, page] of [[false, 1], [true, luminance([18, 20, 23])]] as const) {
    const colours = classColours(100, dark);
    assert.equal(new Set(colours).size, 100);
    for (const colour of colours) {
      const own = luminance(rgb(colour));
      const found = (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
      assert.ok(found >= 3, `${colour} has ${found.toFixed(2)}`);
      assert.ok(Math.abs(found - contrast(rgb(colour), page)) < 1e-9);
    }
  }
});

// Severity 1 of Machado, Oliveira and Fernandes (2009), in linear light.
const SEEN = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};

/** CIE L*a*b* of linear light (D65). */
function lab(light: number[]): number[] {
  const [red, green, blue] = light as [number, number, number];
  const root = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const fx = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const fy = root(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const fz = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

test("the first eight are told apart with red-blind and green-blind eyes", () => {
  for (const dark of [false, true]) {
    for (const [eyes, matrix] of Object.entries(SEEN)) {
      const seen = classColours(8, dark).map((colour) => {
        const light = linear(rgb(colour));
        return lab(matrix.map((row) => Math.max(0, row.reduce((sum, part, k) => sum + part * light[k]!, 0))));
      });
      for (let i = 0; i < 8; i++) {
        for (let j = 0; j < i; j++) {
          const apart = Math.hypot(...seen[i]!.map((part, k) => part - seen[j]![k]!));
          assert.ok(apart > 20, `${eyes}, dark ${dark}: ${j} and ${i} are ${apart.toFixed(1)} apart`);
        }
      }
    }
  }
});

test("points are painted by prediction, by confidence and by who answered", () => {
  const predicted = Uint16Array.of(0, 1, 0xffff, 7);
  const [confidence, source] = [Uint8Array.of(0, 255, 9, 9), Uint8Array.of(0, 1, 2, 9)];
  const colours = ["#102030", "#405060"];
  const pixels = (mode: Parameters<typeof paint>[3]) => {
    const bytes = paint(predicted, confidence, source, mode, colours, false);
    return [0, 1, 2, 3].map((i) => [...bytes.subarray(4 * i, 4 * i + 4)]);
  };
  const byPrediction = pixels("prediction");
  assert.deepEqual(byPrediction.slice(0, 2), [[16, 32, 48, 255], [64, 80, 96, 255]]);
  assert.deepEqual(byPrediction[2], byPrediction[3]); // nothing predicted, and a class without a colour
  assert.notDeepEqual(pixels("confidence")[0], pixels("confidence")[1]);
  assert.deepEqual(pixels("confidence")[2], byPrediction[2]);
  assert.equal(new Set(pixels("source").map(String)).size, 4);
});

test("what is under the pointer stays there when zooming, and pixels and places are each other's inverse", () => {
  const view = new Viewpoint();
  Object.assign(view, { width: 800, height: 600 });
  view.fit({ left: -10, right: 30, bottom: 5, top: 9 });
  const before = view.toPlane(100, 50);
  view.zoomAt(100, 50, 3);
  view.toPlane(100, 50).forEach((part, k) => assert.ok(Math.abs(part - before[k]!) < 1e-9));
  view.toScreen(...view.toPlane(321, 123)).forEach((part, k) => assert.ok(Math.abs(part - [321, 123][k]!) < 1e-6));
  view.reveal(30, 9);
  const [px, py] = view.toScreen(30, 9);
  assert.ok(px >= 0 && px <= 800 && py >= 0 && py <= 600);
});

test("everything stays in sight when places change, until somebody has moved the map", () => {
  const view = new Viewpoint();
  Object.assign(view, { width: 800, height: 600, head: 50 });
  const inside = (box: { left: number; right: number; bottom: number; top: number }) =>
    [view.toScreen(box.left, box.top), view.toScreen(box.right, box.bottom)].every(
      ([px, py]) => px >= 24 - 1e-6 && px <= 776 + 1e-6 && py >= 74 - 1e-6 && py <= 576 + 1e-6,
    );
  const [first, second] = [{ left: -1, right: 1, bottom: -1, top: 1 }, { left: 40, right: 90, bottom: 7, top: 8 }];
  view.fit(first);
  assert.ok(inside(first));
  view.refit(second);
  assert.ok(inside(second));
  view.pan(100, 0);
  const seen = view.toPlane(400, 300);
  view.refit(first);
  view.toPlane(400, 300).forEach((part, k) => assert.ok(Math.abs(part - seen[k]!) < 1e-9));
});

test("the service's bytes are read, and others refused", () => {
  const bytes = new ArrayBuffer(24 + 16);
  const view = new DataView(bytes);
  [..."ZKMAP1"].forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
  [2, 1, 5, 0].forEach((value, i) => view.setUint32(8 + 4 * i, value, true));
  [1.5, 2.5, -1, -2].forEach((value, i) => view.setFloat32(24 + 4 * i, value, true));
  const map = parseMap(bytes);
  assert.deepEqual([map.n, map.stage, map.revision, [...map.x], [...map.y]], [2, 1, 5, [1.5, 2.5], [-1, -2]]);
  assert.throws(() => parseColours(bytes), /ZKMAP1/);
  assert.throws(() => parseMap(bytes.slice(0, 30)), /30 bytes/);
  assert.throws(() => parseMap(new ArrayBuffer(3)), /ZKMAP1/);
});
