// The classes as buttons with their fixed keys, the type-ahead beyond nine, and the three ways not to answer.

import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { lettersAreFree, matching } from "../state/keys.ts";
import type { Label, Turn } from "../state/protocol.ts";
import { labelling, page } from "../state/open_project.ts";
import { classStyle } from "../state/colours.ts";
import { percent } from "../state/words.ts";
import { guessVisible } from "./guess.tsx";
import { Key } from "./small.tsx";
import { answerNow, putOffNow } from "./acting.ts";

export const typed = signal<string | null>(null); // what stands in the type-ahead; null while it is shut
const marked = signal(0);
const found = computed(() => matching(page.value?.classes ?? [], typed.value ?? "").slice(0, 8));

function TypeAhead() {
  const input = useRef<HTMLInputElement>(null);
  const open = typed.value !== null;
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  const close = () => {
    typed.value = null;
    marked.value = 0;
    input.current?.blur();
  };
  const choose = (label: Label | undefined, at: number) => {
    if (label === undefined) return;
    close();
    answerNow(label, at);
  };
  return (
    <div class="typeahead">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Type a class"
        aria-expanded={open}
        aria-controls="typeahead-list"
        aria-autocomplete="list"
        aria-activedescendant={open && found.value[marked.value] ? `typeahead-${marked.value}` : undefined}
        placeholder="Type a class…"
        autocomplete="off"
        spellcheck={false}
        value={typed.value ?? ""}
        onFocus={() => (typed.value ??= "")}
        onBlur={() => setTimeout(() => document.activeElement !== input.current && close(), 150)}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          marked.value = 0;
        }}
        onKeyDown={(event) => {
          const last = found.value.length - 1;
          if (event.key === "ArrowDown") marked.value = Math.min(marked.value + 1, last);
          else if (event.key === "ArrowUp") marked.value = Math.max(marked.value - 1, 0);
          else if (event.key === "Enter") choose(found.value[marked.value]?.label, event.timeStamp);
          else if (event.key === "Escape") close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <ul id="typeahead-list" role="listbox" aria-label="Classes that fit" hidden={!open}>
        {found.value.map((one, place) => (
          <li
            key={one.label}
            id={`typeahead-${place}`}
            role="option"
            aria-selected={place === marked.value}
            style={classStyle(one.label)}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(one.label, event.timeStamp);
            }}
          >
            <span class="dot" aria-hidden="true">{one.key ?? ""}</span> <bdi>{one.label}</bdi>
          </li>
        ))}
        {open && !found.value.length && (
          <li role="option" aria-selected="false" aria-disabled="true" class="faint">
            No class fits “{typed.value}”
          </li>
        )}
      </ul>
    </div>
  );
}

/** Columns of at most `most` that leave the last row as full as can be. */
export const evenly = (number: number, most: number): number => Math.ceil(number / Math.max(1, Math.ceil(number / most)));

export function Answers({ turn }: { turn: Turn | null }) {
  const work = labelling.value!;
  const classes = page.value!.classes;
  const letters = lettersAreFree(classes);
  const changing = work.past.value.find((act) => act.id === work.chosen.value);
  const guess = turn && guessVisible(turn) ? turn : null;
  const likely = guess && !letters ? [...guess.probabilities].sort((a, b) => b[1] - a[1]).slice(0, 4) : [];
  const away = (key: string) => <Key>{letters ? key : `⇧${key}`}</Key>;
  const off = !turn && !changing;
  return (
    <section class={`answers ${!letters ? "many" : classes.every((one) => String(one.label).length < 4) ? "brief" : ""}`} aria-label="Your answer">
      {changing && (
        <p class="changing" role="status">
          New label for <bdi>{changing.title}</bdi> <span class="faint">(Esc leaves it as it is)</span>
        </p>
      )}
      {!letters && <TypeAhead />}
      {likely.length > 0 && (
        <div class="likely" role="group" aria-label="Likely">
          {likely.map(([label, share]) => (
            <button
              key={label}
              type="button"
              class="class"
              style={classStyle(label)}
              disabled={off}
              onClick={(event) => answerNow(label, event.timeStamp, event)}
            >
              <span class="dot" aria-hidden="true" />
              <bdi class="class-name">{label}</bdi>
              <span class="number">{percent(share)}</span>
            </button>
          ))}
        </div>
      )}
      <div
        class="classes"
        role="group"
        aria-label="Classes"
        style={{ "--columns": evenly(classes.length, 10), "--few-columns": evenly(classes.length, 5) }}
      >
        {classes.map((one) => (
          <button
            key={one.label}
            type="button"
            class={`class ${guess?.label === one.label ? "guessed" : ""}`}
            style={classStyle(one.label)}
            disabled={off}
            title={one.notes || undefined}
            onClick={(event) => answerNow(one.label, event.timeStamp, event)}
          >
            <span class="dot" aria-hidden="true">{one.key ?? ""}</span>
            <bdi class="class-name">{one.label}</bdi>
            {guess?.label === one.label && <span class="hidden"> (guess)</span>}
          </button>
        ))}
      </div>
      <div class="away" role="group" aria-label="No answer now">
        <button type="button" class="plain" disabled={!turn} title="Comes back after the other questions" onClick={() => putOffNow("skip")}>
          Skip {away("S")}
        </button>
        <button
          type="button"
          class="plain"
          disabled={!turn}
          title="Counted as unsure; comes back after 20 more answers, and in the review"
          onClick={() => putOffNow("unsure")}
        >
          Unsure {away("U")}
        </button>
        <button
          type="button"
          class="plain"
          disabled={!turn}
          title="Never asked of you again; others are asked first"
          onClick={() => putOffNow("someone-else")}
        >
          Someone else {away("O")}
        </button>
      </div>
    </section>
  );
}
