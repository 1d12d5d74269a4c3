import assert from "node:assert/strict";
import { test } from "node:test";
import { summary } from "./selection_card.tsx";

const reply = { count: 214, label: "cat", disagree: 9, otherwise: 0, check_first: [1, 2, 3, 4, 5], labels: {} };

test("a selection says against which class the model disagrees", () => {
  assert.equal(summary(reply), "214 items, mostly “cat”; the model disagrees on 9: check these 5 first");
  assert.equal(summary({ ...reply, check_first: [7], disagree: 1 }), "214 items, mostly “cat”; the model disagrees on 1: check this one first");
  assert.equal(summary({ ...reply, disagree: 0 }), "214 items, all “cat” to the model");
  assert.equal(summary({ ...reply, label: null }), "214 items");
});
