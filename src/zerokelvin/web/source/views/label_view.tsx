// One question at a time: the item large, beside it the guess and when to stop, below it the answers and the strip.

import { useEffect, useRef } from "preact/hooks";
import { Answers } from "../parts/answers.tsx";
import { Guess } from "../parts/guess.tsx";
import { Duplicates, ItemBody } from "../parts/item.tsx";
import { Notes } from "../parts/notes.tsx";
import { StopPanel } from "../parts/stop_panel.tsx";
import { Strip } from "../parts/strip.tsx";
import { labelling, page } from "../state/open_project.ts";
import type { Turn } from "../state/protocol.ts";
import { AddClasses } from "./classes_form.tsx";
import { DoneCard, TargetBanner } from "./done_card.tsx";

function Question({ turn }: { turn: Turn }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (frame.current) frame.current.scrollTop = 0;
  }, [turn.node]);
  return (
    <article class={`card question ${page.value!.kind}`} aria-labelledby="question-title">
      <div class="question-head">
        <h2 id="question-title" dir="auto">
          {turn.item.title}
        </h2>
        {turn.audit && <span class="badge" title="Drawn at random; your answer checks the model">random check</span>}
      </div>
      <div class="item" id="item" data-node={String(turn.node)} ref={frame} tabIndex={0} role="region" aria-label="Item">
        <ItemBody item={turn.item} />
      </div>
      <Duplicates item={turn.item} number={turn.duplicates} />
    </article>
  );
}

function Waiting() {
  const offline = labelling.value?.link.value === "offline";
  useEffect(() => {
    const timer = setInterval(() => void labelling.value?.refresh(), 2000); // others may have what is open
    return () => clearInterval(timer);
  }, []);
  return (
    <article class="card question waiting" aria-busy={!offline}>
      <div class="item" id="item">
        {offline ? (
          <p class="prose short">
            The service cannot be reached. Your answers are kept in this browser and are sent when it is back.
          </p>
        ) : (
          <div class="pulse" role="status">
            <span class="hidden">The next question is being chosen</span>
          </div>
        )}
      </div>
    </article>
  );
}

export function LabelView() {
  const work = labelling.value!;
  const turn = work.question.value;
  const done = work.done.value;
  const info = page.value!;
  if (!info.classes.length || done === "no-classes") return <AddClasses first />;
  const finished = !turn && done !== null;
  return (
    <div class="label-view">
      <div class="stage">
        {done === "target-reached" && turn && <TargetBanner />}
        {work.problem.value && (
          <p class="wrong" role="alert">
            {work.problem.value}{" "}
            <button type="button" class="plain small" onClick={() => (work.problem.value = "")}>
              Close
            </button>
          </p>
        )}
        {finished ? <DoneCard reason={done} /> : turn ? <Question turn={turn} /> : <Waiting />}
        {info.can_label && (!finished || work.chosen.value !== null) && <Answers turn={turn} />}
        <Strip />
      </div>
      <aside class="side" aria-label="About this question">
        {turn && <Guess turn={turn} />}
        <StopPanel />
        <Notes />
      </aside>
    </div>
  );
}
