// The strip of past answers, newest first: choose one (click, or ← and →) and a class key changes it.

import { useEffect, useRef } from "preact/hooks";
import { labelNow, shownInStrip, type PastAct } from "../state/past.ts";
import { labelling } from "../state/open_project.ts";
import { classStyle, keyOf } from "../state/colours.ts";
import { plural, shorten } from "../state/words.ts";
import { Icon, Key, Thumb } from "./small.tsx";

const WORDS: Record<string, string> = { skip: "skipped", unsure: "unsure", "someone-else": "for someone else" };
const STATES = { waiting: "waits to be saved", saved: "saved", refused: "not taken" };

export const stripActs = (): PastAct[] => shownInStrip(labelling.value?.past.value ?? []).slice(-60).toReversed();

/** Choose the next older (1) or newer (-1) past answer; beyond the newest, none. */
export function choosePast(step: number): void {
  const work = labelling.value;
  if (!work) return;
  const acts = stripActs().filter((act) => act.label !== null && act.count === 1 && !act.undone);
  const now = acts.findIndex((act) => act.id === work.chosen.value);
  const next = now + step;
  work.chosen.value = next < 0 ? null : (acts[Math.min(next, acts.length - 1)]?.id ?? null);
}

function Entry({ act, changes }: { act: PastAct; changes: PastAct[] }) {
  const work = labelling.value!;
  const row = useRef<HTMLLIElement>(null);
  const chosen = work.chosen.value === act.id;
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const label = labelNow(changes, act);
  const words = label !== null ? String(label) : (WORDS[act.kind] ?? act.kind);
  const title = act.count > 1 ? `${shorten(act.title, 40)} and ${act.count - 1} more` : shorten(act.title, 60);
  const state = `${act.undone ? ", undone" : ""}, ${STATES[act.state]}${act.detail ? `: ${act.detail}` : ""}`;
  const changeable = label !== null && act.count === 1 && !act.undone && act.node !== null;
  return (
    <li ref={row} class={`past ${act.undone ? "undone" : ""} ${act.state}`} style={label !== null ? classStyle(label) : undefined}>
      <button
        type="button"
        aria-pressed={changeable ? chosen : undefined}
        title={act.detail || (changeable ? "Change this answer" : undefined)}
        disabled={!changeable}
        onClick={() => (work.chosen.value = chosen ? null : act.id)}
      >
        <Thumb address={act.image} name={act.title} />
        {act.image ? <span class="hidden">{title}</span> : <span class="past-title" dir="auto">{title}</span>}
        <span class="past-label">
          {label !== null && <span class="dot" aria-hidden="true">{keyOf(label)}</span>}
          <bdi>{shorten(words, 18)}</bdi>
          {act.count > 1 && <span class="faint">×{act.count}</span>}
        </span>
        <span class={`mark ${act.state}`} aria-hidden="true">
 <Icon name={act.state === "saved" ? "check" : act.state === "waiting" ? "wait" : "alert"} />
        </span>
        <span class="hidden">{state}</span>
      </button>
    </li>
  );
}

export function Strip() {
  const work = labelling.value!;
  const acts = stripActs();
  const changes = work.past.value.filter((act) => act.of !== null); // few, while the past may be long
  return (
    <section class="strip" aria-labelledby="strip-title">
      <h2 id="strip-title" class="hidden">
        Your past answers
      </h2>
      <div class="strip-tools">
        <button type="button" class="plain" disabled={!work.canUndo.value} onClick={() => work.undo()}>
          <Icon name="undo" /> Undo <Key>Z</Key>
        </button>
        <button type="button" class="plain" disabled={!work.canRedo.value} onClick={() => work.redo()}>
          <Icon name="redo" /> Redo <Key>⇧Z</Key>
        </button>
      </div>
      {acts.length ? (
        <ol class="strip-list" aria-label={`${plural(acts.length, "past answer")}, newest first`}>
          {acts.map((act) => (
            <Entry key={act.id} act={act} changes={changes} />
          ))}
        </ol>
      ) : (
        <p class="faint">Your answers appear here, each changeable with one key.</p>
      )}
    </section>
  );
}
