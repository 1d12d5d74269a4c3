import assert from "node:assert/strict";
import { test } from "node:test";
import { inkOn } from "../state/colours.ts";
import { agreementWords } from "../views/people_view.tsx";
import { namesIn } from "../views/classes_form.tsx";
import { evenly } from "./answers.tsx";
import { ringOrder } from "./neighbourhood.tsx";
import { scaleEnd } from "./stop_panel.tsx";

test("joined neighbours are put side by side", () => {
  const place = ringOrder(6, [[0, 3], [3, 5]]);
  const gap = (a: number, b: number) => Math.min(Math.abs(place[a]! - place[b]!), 6 - Math.abs(place[a]! - place[b]!));
  assert.equal(gap(0, 3), 1);
  assert.equal(gap(3, 5), 1);
  assert.deepEqual([...place].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(ringOrder(0, []), []);
});

test("the scale of the error holds the limit and twice the target", () => {
  assert.equal(scaleEnd(null, 0.02), 0.05);
  assert.equal(scaleEnd(0.3, 0.02), 0.5);
  assert.equal(scaleEnd(0.004, 0.01), 0.02);
});

test("the last row of classes is as full as can be", () => {
  assert.deepEqual([1, 9, 10, 12, 20].map((number) => evenly(number, 10)), [1, 9, 10, 6, 10]);
  assert.equal(evenly(0, 5), 0);
});

test("what is written on a class colour can be read", () => {
  assert.equal(inkOn("#F0E442"), "#000000");
  assert.equal(inkOn("#0b2a66"), "#ffffff");
});

test("class names are split at commas and lines, each once", () => {
  assert.deepEqual(namesIn(" a, b\nc,,a ", ["c"]), ["a", "b"]);
});

test("agreement in words", () => {
  assert.equal(agreementWords(-0.1), "less than by chance");
  assert.equal(agreementWords(0.5), "moderate");
  assert.equal(agreementWords(1), "almost perfect");
});
