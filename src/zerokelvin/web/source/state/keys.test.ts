import assert from "node:assert/strict";
import { test } from "node:test";
import { classForKey, figureOf, letterOf, lettersAreFree, matching } from "./keys.ts";
import type { ClassInfo } from "./protocol.ts";

const named = (labels: string[]): ClassInfo[] =>
  labels.map((label, place) => ({ label, key: place < 9 ? String(place + 1) : null, notes: "", colour: null }));

test("nine classes have keys, the tenth is typed", () => {
  const classes = named(Array.from({ length: 12 }, (_, i) => `class ${i}`));
  assert.equal(classForKey(classes, "3")?.label, "class 2");
  assert.equal(classForKey(classes, "0"), undefined);
  assert.equal(lettersAreFree(classes), false);
  assert.equal(lettersAreFree(classes.slice(0, 9)), true);
});

test("the start of a name comes first, then of a word, then within, then scattered letters", () => {
  const classes = named(["red car", "car", "oscar", "care", "calendar", "bird"]);
  assert.deepEqual(
    matching(classes, "car").map((one) => one.label),
    ["car", "care", "red car", "oscar", "calendar"],
  );
  assert.deepEqual(matching(classes, "zzz"), []);
  assert.equal(matching(classes, "").length, 6);
});

test("accents and case do not matter, and every script can be typed", () => {
  const classes = named(["Événement", "שלום", "日本語"]);
  assert.equal(matching(classes, "eve")[0]?.label, "Événement");
  assert.equal(matching(classes, "של")[0]?.label, "שלום");
  assert.equal(matching(classes, "本")[0]?.label, "日本語");
});

test("keys are those of the keyboard at hand", () => {
  const press = (key: string, code: string, shiftKey = false) => ({ key, code, shiftKey });
  assert.equal(figureOf(press("&", "Digit1")), "1"); // French
  assert.equal(figureOf(press("٣", "Digit3")), "3"); // Arabic
  assert.equal(figureOf(press("7", "Numpad7")), "7");
  assert.equal(figureOf(press("Home", "Numpad7")), undefined);
  assert.equal(figureOf(press("!", "Digit1", true)), undefined);
  assert.equal(letterOf(press("Z", "KeyZ")), "z"); // Caps Lock
  assert.equal(letterOf(press("z", "KeyY")), "z"); // German
  assert.equal(letterOf(press("я", "KeyZ")), "z"); // Russian
  assert.equal(letterOf(press("ז", "KeyZ")), "z"); // Hebrew
  assert.equal(letterOf(press("é", "Digit2")), undefined);
  assert.equal(letterOf(press("Enter", "Enter")), undefined);
});
