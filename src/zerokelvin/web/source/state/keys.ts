// Keys of classes and the type-ahead. A class has the key the service gave it for good (1 to 9, the rest none); what is
// typed is matched at the start of a name, then at the start of a word, then anywhere, then as scattered letters.

import type { ClassInfo } from "./protocol.ts";

export function classForKey(classes: readonly ClassInfo[], key: string): ClassInfo | undefined {
  return classes.find((one) => one.key === key);
}

export interface Pressed {
  key: string;
  code: string; // the place on the keyboard, by what stands there in the United States
  shiftKey: boolean;
}

/** The figure that was meant: French keyboards have figures behind shift, Arabic and Persian ones figures of their own. */
export function figureOf(pressed: Pressed): string | undefined {
  const figure = /^(?:Digit|Numpad)(\d)$/.exec(pressed.code)?.[1];
  return figure !== undefined && !pressed.shiftKey && [...pressed.key].length === 1 ? figure : undefined;
}

/** The Latin letter that was meant, in lower case whatever Caps Lock says; by its place where others are written. */
export function letterOf(pressed: Pressed): string | undefined {
  const key = pressed.key.toLowerCase();
  if (/^[a-z]$/.test(key)) return key;
  return /^\P{Script=Latin}$/u.test(key) ? /^Key([A-Z])$/.exec(pressed.code)?.[1]?.toLowerCase() : undefined;
}

/** Letters are free for shortcuts as long as every class has a key that is no letter. */
export function lettersAreFree(classes: readonly ClassInfo[]): boolean {
  return classes.every((one) => one.key !== null && !/\p{L}/u.test(one.key));
}

const plain = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLocaleLowerCase();

export function rankMatch(label: string, typed: string): number | null {
  const name = plain(label);
  const wanted = plain(typed.trim());
  if (!wanted || name.startsWith(wanted)) return name === wanted ? 0 : 1;
  if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 2;
  if (name.includes(wanted)) return 3;
  let from = 0;
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 4;
}

/** Classes that fit what was typed, best first; equal ones in their fixed order. */
export function matching(classes: readonly ClassInfo[], typed: string): ClassInfo[] {
  return classes
    .map((one, place) => ({ one, place, rank: rankMatch(String(one.label), typed) }))
    .filter((row) => row.rank !== null)
    .sort((a, b) => a.rank! - b.rank! || a.place - b.place)
    .map((row) => row.one);
}
