// The item that is asked about, large: text with line breaks and marked terms, a picture, a row as a table, or a node
// with its neighbours. Everything from the data is put in as text, so HTML in it is shown and never run.

import { useSignal } from "@preact/signals";
import { at, getJson } from "../state/server.ts";
import type { Item } from "../state/protocol.ts";
import { count, highlight, plural, shorten } from "../state/words.ts";
import { labelling, page, project } from "../state/open_project.ts";
import { Neighbourhood } from "./neighbourhood.tsx";
import { Picture } from "./small.tsx";

const FIRST = 20000; // characters of a text that are shown before one asks for the rest

function LongText({ item }: { item: Item }) {
  const whole = useSignal(false);
  const text = item.text ?? "";
  const cut = !whole.value && text.length > FIRST;
  const size = text.length < 160 ? "short" : text.length < 900 ? "middle" : "long";
  return (
    <div class={`prose ${size}`} dir={item.direction}>
      {highlight(cut ? text.slice(0, FIRST) : text, item.terms).map((piece, place) =>
        piece.marked ? <mark key={place}>{piece.text}</mark> : piece.text,
      )}
      {cut && (
        <p>
          <button type="button" class="plain" onClick={() => (whole.value = true)}>
            Show the other {count(text.length - FIRST)} characters
          </button>
        </p>
      )}
    </div>
  );
}

function Fields({ item }: { item: Item }) {
  return (
    <table class="fields">
      <caption class="hidden">Values of this item</caption>
      <tbody>
        {item.fields.map(([column, value]) => (
          <tr key={column}>
            <th scope="row">
              <bdi>{column}</bdi>
            </th>
            <td dir="auto">{value === "" ? <span class="faint">empty</span> : value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The item's content without its frame; also used on the map and in the review. */
export function ItemBody({ item }: { item: Item }) {
  const kind = page.value?.kind;
  const bare = !item.image && !item.text && item.fields.length === 0 && kind !== "node";
  return (
    <>
      {item.image && <Picture key={item.image} address={item.image} name={item.title} />}
      {item.text != null && item.text !== "" && <LongText key={String(item.node)} item={item} />}
      {item.text === "" && !item.fields.length && <p class="faint">The text of this item is empty.</p>}
      {kind === "node" && <Neighbourhood item={item} />}
      {item.fields.length > 0 && <Fields item={item} />}
      {bare && (
        <p class="prose short" dir="auto">
          {item.title}
        </p>
      )}
    </>
  );
}

/** "and 3 like it": near-duplicates that get the same answer unless one says no. */
export function Duplicates({ item, number }: { item: Item; number: number }) {
  const titles = useSignal<{ node: string; title: string }[] | null>(null);
  const work = labelling.value;
  if (!number || !work) return null;
  const load = async () => {
    if (titles.value) return;
    try {
      const found = await getJson<{ items: Item[] }>(at(project.value, "items", { node: item.duplicates.slice(0, 20) }));
      titles.value = found.items.map((one) => ({ node: String(one.node), title: shorten(one.text || one.title, 140) }));
    } catch {
      titles.value = item.duplicates.map((node) => ({ node: String(node), title: String(node) }));
    }
  };
  return (
    <div class="duplicates">
      <label class="check">
        <input
          type="checkbox"
          checked={work.together.value}
          onChange={(event) => (work.together.value = event.currentTarget.checked)}
        />
        <span>
          and {plural(number, "item")} like it, answered together <kbd>D</kbd>
        </span>
      </label>
      <details onToggle={(event) => event.currentTarget.open && void load()}>
        <summary>Show</summary>
        <ul>{titles.value?.map((one) => <li key={one.node} dir="auto">{one.title}</li>) ?? <li>…</li>}</ul>
      </details>
    </div>
  );
}
