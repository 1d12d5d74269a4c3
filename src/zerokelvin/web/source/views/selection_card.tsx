// What a lasso caught: "214 items, model disagrees on 9: check these 5 first", then one act labels them all.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Chip, Icon, Thumb } from "../parts/small.tsx";
import { announce, labelling, page, project } from "../state/open_project.ts";
import type { PastAct } from "../state/past.ts";
import type { Item, Label, Selection, TurnReply } from "../state/protocol.ts";
import { at, getJson, newId, postJson } from "../state/server.ts";
import { count, plural, shorten } from "../state/words.ts";
import { opened, selected } from "./map_view.tsx";
import { ClassButtons } from "./point_card.tsx";

export function SelectionCard({ indices }: { indices: Uint32Array }) {
  const found = useSignal<Selection | null>(null);
  const first = useSignal<Item[]>([]);
  const problem = useSignal("");
  const busy = useSignal(false);
  useEffect(() => {
    let ended = false;
    found.value = null;
    first.value = [];
    const look = async () => {
      try {
        const reply = await postJson<Selection>(at(project.value, "select"), { indices: [...indices] });
        if (ended) return;
        found.value = reply;
        announce(summary(reply));
        if (!reply.check_first.length) return;
        const items = await getJson<{ items: Item[] }>(at(project.value, "items", { node: reply.check_first }));
        if (!ended) first.value = items.items;
      } catch (error) {
        problem.value = (error as Error).message;
      }
    };
    void look();
    return () => {
      ended = true;
    };
  }, [indices]);

  const id = useSignal(newId());
  const labelAll = async (label: Label) => {
    const work = labelling.value!;
    busy.value = true;
    try {
      const body = { reviewer: work.reviewer, id: id.value, indices: [...indices], label };
      const act: PastAct = {
        id: id.value, kind: "label-many", node: null, title: plural(indices.length, "item"), image: null, label, before: null, of: null,
        count: indices.length, undone: false, state: "saved", detail: "", turn: null,
      };
      await work.join(act, postJson<TurnReply>(at(project.value, "label-many"), body, id.value));
      announce(`${plural(indices.length, "item")} labelled ${label}. Z undoes it.`);
      selected.value = null;
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      busy.value = false;
    }
  };

  const reply = found.value;
  return (
    <section class="map-card" aria-labelledby="selection-title" aria-busy={busy.value}>
      <div class="panel-head">
        <h2 id="selection-title">{reply ? summary(reply) : `${plural(indices.length, "item")} selected`}</h2>
        <button type="button" class="plain round" aria-label="Close" onClick={() => (selected.value = null)}>
          <Icon name="close" />
        </button>
      </div>
      {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
      {reply && (
        <ul class="legend">
          {Object.entries(reply.labels)
            .sort((a, b) => b[1] - a[1])
            .slice(0, 6)
            .map(([label, number]) => (
              <li key={label}>
                <Chip label={label} quiet /> <span class="number faint">{count(number)}</span>
              </li>
            ))}
        </ul>
      )}
      {first.value.length > 0 && (
        <>
          <h3>Check first</h3>
          <ul class="check-first">
            {first.value.map((item) => (
              <li key={String(item.node)}>
                <button type="button" class="plain" onClick={() => (opened.value = { index: item.index, item })}>
                  <Thumb address={item.image} name={item.title} />
                  <span dir="auto">{shorten(item.text || item.title, 60)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {reply && page.value!.can_label && (
        <>
          <h3>Label all {count(reply.count)} as</h3>
          {reply.otherwise > 0 && (
            <p class="faint">{reply.otherwise === 1 ? "One has" : `${count(reply.otherwise)} have`} another answer than “{reply.label}” already.</p>
          )}
          <ClassButtons choose={(label) => void labelAll(label)} />
          <p class="faint">One act: Z undoes it.</p>
        </>
      )}
    </section>
  );
}

export function summary(reply: Selection): string {
  const items = plural(reply.count, "item");
  if (reply.label === null) return items;
  if (!reply.disagree) return `${items}, all “${reply.label}” to the model`;
  const check = reply.check_first.length ? `: check ${reply.check_first.length === 1 ? "this one" : `these ${reply.check_first.length}`} first` : "";
  return `${items}, mostly “${reply.label}”; the model disagrees on ${count(reply.disagree)}${check}`;
}
