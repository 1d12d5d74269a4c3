// From a key or a click to an act: a double click or a held key counts once, and the time from the key to the next
// question in the page is measured (performance measures named "next-question", and "next-frame" for the frame after).

import { effect } from "@preact/signals";
import type { Label } from "../state/protocol.ts";
import { labelling } from "../state/open_project.ts";

const AGAIN = 250; // milliseconds within which a second click is the same click

let lastClick = -Infinity;

function measure(since: number, foreseen: boolean): void {
  queueMicrotask(() =>
    queueMicrotask(() => {
      document.getElementById("item")?.getBoundingClientRect(); // lays out what has changed
      performance.measure("next-question", { start: since, end: performance.now(), detail: foreseen });
      requestAnimationFrame((frame) => {
        performance.measure("next-frame", { start: since, end: Math.max(frame, since) });
      });
    }),
  );
}

/** Answer the question, or change the past answer that is chosen; a click is passed to count a double one once. */
export function answerNow(label: Label, since: number, click?: MouseEvent): void {
  const work = labelling.value;
  if (!work) return;
  if (click && click.detail > 0) {
    if (click.timeStamp - lastClick < AGAIN) return;
    lastClick = click.timeStamp;
  }
  if (work.chosen.value) {
    work.change(work.chosen.value, label);
    work.chosen.value = null;
    return;
  }
  const foreseen = work.isReady(label);
  if (!work.answer(label)) return;
  const stop = effect(() => {
    if (!work.question.value && !work.done.value) return;
    measure(since, foreseen);
    queueMicrotask(() => stop());
  });
}

export function putOffNow(kind: "skip" | "unsure" | "someone-else"): void {
  labelling.value?.putOff(kind);
}
