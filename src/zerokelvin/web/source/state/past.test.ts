import assert from "node:assert/strict";
import { test } from "node:test";
import { labelNow, redoable, shownInStrip, undoable, type PastAct } from "./past.ts";

const act = (id: string, more: Partial<PastAct> = {}): PastAct => ({
  id, kind: "answer", node: id, title: id, image: null, label: "a", before: null, of: null, count: 1, undone: false, state: "saved",
  detail: "", turn: null, ...more,
});

test("undo takes the newest that stands, redo the first undone after it", () => {
  const past = [act("1"), act("2", { undone: true }), act("3", { undone: true })];
  assert.equal(undoable(past)?.id, "1");
  assert.equal(redoable(past)?.id, "2");
  assert.equal(redoable([...past, act("4")]), undefined);
  assert.equal(undoable([act("1", { state: "refused" })]), undefined);
});

test("a change shows as the label of what it changed, until it is undone", () => {
  const first = act("1");
  const change = act("2", { kind: "change", of: "1", label: "b" });
  assert.deepEqual(shownInStrip([first, change]).map((one) => one.id), ["1"]);
  assert.equal(labelNow([first, change], first), "b");
  assert.equal(labelNow([first, { ...change, undone: true }], first), "a");
  assert.equal(shownInStrip([change]).length, 1);
});
