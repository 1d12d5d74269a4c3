import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, duration, highlight, percent, plural, shorten, unbroken } from "./words.ts";

test("shares are written so that a tiny one is not nothing and a large one not all", () => {
  assert.equal(percent(0), "0\u00a0%");
  assert.equal(percent(0.0004), "<\u00a00.1\u00a0%");
  assert.equal(percent(0.021), "2.1\u00a0%");
  assert.equal(percent(0.05), "5\u00a0%");
  assert.equal(percent(0.5), "50\u00a0%");
  assert.equal(percent(0.9996), ">\u00a099.9\u00a0%");
  assert.equal(percent(1), "100\u00a0%");
  assert.equal(unbroken("All 3 are “spam” (87 %)."), "All 3 are “spam” (87\u00a0%).");
});

test("numbers, durations and times", () => {
  assert.equal(plural(1, "answer"), "1 answer");
  assert.equal(plural(1797, "item"), "1,797 items");
  assert.equal(duration(20), "less than a minute");
  assert.equal(duration(150), "3 minutes");
  assert.equal(duration(7200), "2 hours");
  assert.equal(ago(1000, 1000_000 + 5000), "just now");
  assert.equal(ago(1000, 1000_000 + 180_000), "3 minutes ago");
  assert.equal(ago(null), "");
});

test("terms are marked as whole words, whatever the case, and never as a pattern", () => {
  const marked = (text: string, terms: string[]) => highlight(text, terms).filter((piece) => piece.marked).map((piece) => piece.text);
  assert.deepEqual(marked("Cat, concat and cat.", ["cat"]), ["Cat", "cat"]);
  assert.deepEqual(marked("a.b axb", ["a.b"]), ["a.b"]);
  assert.deepEqual(marked("machine  learning", ["machine learning", "machine"]), ["machine  learning"]);
  assert.deepEqual(marked("Füße und Füßen", ["füße"]), ["Füße"]);
  for (const text of ["", "<b>x</b> (a|b", "one two"]) {
    assert.equal(highlight(text, ["two", "(a|b", " "]).map((piece) => piece.text).join(""), text);
  }
});

test("a text is cut between words", () => {
  assert.equal(shorten("one two three four", 13), "one two three…");
  assert.equal(shorten("  short  ", 10), "short");
  assert.equal(shorten("x".repeat(50), 10), `${"x".repeat(10)}…`);
});
