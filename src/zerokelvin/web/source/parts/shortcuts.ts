// The keys of the label view. A key that is typed into a field, held down, or pressed with Ctrl, Alt or Meta is not ours.

import { classForKey, figureOf, letterOf, lettersAreFree } from "../state/keys.ts";
import { dialog, labelling, page, tab } from "../state/open_project.ts";
import { guessShown } from "../state/preferences.ts";
import { answerNow, putOffNow } from "./acting.ts";
import { typed } from "./answers.tsx";
import { guessVisible } from "./guess.tsx";
import { choosePast } from "./strip.tsx";

const FIELDS = "input, textarea, select, [contenteditable]";
const PRESSABLE = "button, a, summary";

export function onKey(event: KeyboardEvent): void {
  const work = labelling.value;
  const target = event.target as Element;
  if (!work || !page.value || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.closest(FIELDS) && (target as HTMLInputElement).type !== "checkbox") return;
  if (dialog.value) return;
  if (typed.value !== null && [...event.key].length === 1) typed.value += event.key; // typed before the field has the focus
  else if (event.key === "?") dialog.value = "help";
  else if (isUndo(event)) event.shiftKey ? work.redo() : work.undo();
  else if (tab.value !== "label" || !page.value.can_label || !onLabelView(event, target)) return;
  event.preventDefault();
}

/** Z in any alphabet; where letters name classes, another alphabet's letter on that key is one of them. */
function isUndo(event: KeyboardEvent): boolean {
  const plain = event.key.toLowerCase() === "z";
  return plain || (letterOf(event) === "z" && (event.shiftKey || lettersAreFree(page.value!.classes)));
}

function onLabelView(event: KeyboardEvent, target: Element): boolean {
  const work = labelling.value!;
  const classes = page.value!.classes;
  const key = event.key;
  const letters = lettersAreFree(classes);
  const figure = letters || !/^\p{L}$/u.test(key) ? figureOf(event) : undefined;
  const found = classForKey(classes, key) ?? (figure === undefined ? undefined : classForKey(classes, figure));
  if (found) {
    answerNow(found.label, event.timeStamp);
    return true;
  }
  if (key === "ArrowLeft" || key === "ArrowRight") {
    choosePast(key === "ArrowLeft" ? 1 : -1);
    return true;
  }
  if (key === "Escape") {
    work.chosen.value = null;
    return true;
  }
  if (key === "Enter") {
    const turn = work.question.value;
    if (target.closest(PRESSABLE) || !turn || !guessVisible(turn) || work.chosen.value) return false;
    answerNow(turn.label!, event.timeStamp);
    return true;
  }
  if (letters || event.shiftKey) {
    const command = COMMANDS[letterOf(event) ?? ""];
    if (command) {
      command();
      return true;
    }
  }
  if (letters) return false;
  if (key === "/" || /^\p{L}$/u.test(key)) {
    typed.value = key === "/" ? "" : key;
    return true;
  }
  return false;
}

const COMMANDS: Record<string, () => void> = {
  s: () => putOffNow("skip"),
  u: () => putOffNow("unsure"),
  o: () => putOffNow("someone-else"),
  g: () => {
    guessShown.value = !guessShown.value;
  },
  d: () => {
    const work = labelling.value!;
    work.together.value = !work.together.value;
  },
};
