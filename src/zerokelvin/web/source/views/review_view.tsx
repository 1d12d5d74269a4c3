// The review: every item with its label, the least sure first, or where answer and model disagree, searched and
// filtered, each label changed in place.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Chip, Icon, Thumb } from "../parts/small.tsx";
import { classForKey } from "../state/keys.ts";
import { labelling, page, project } from "../state/open_project.ts";
import type { Label, ReviewRow } from "../state/protocol.ts";
import { at, getJson } from "../state/server.ts";
import { ago, count, percent, plural, shorten } from "../state/words.ts";

const SHOWN: [string, string][] = [
  ["least-sure", "Least sure"],
  ["disagreements", "Disagreements"],
  ["unsure", "Unsure"],
  ["answered", "Answered"],
  ["predicted", "Predicted"],
  ["all", "All"],
];
const STEP = 40;

function Row({ row, changed }: { row: ReviewRow; changed: (label: Label) => void }) {
  const classes = page.value!.classes;
  const differs = row.asked && row.predicted !== null && row.predicted !== row.label;
  return (
    <li
      class="review-row"
      tabIndex={0}
      aria-label={`${shorten(row.title, 80)}: ${row.label ?? "no label"}${row.asked ? ", answered" : ", predicted"}`}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
        const found = classForKey(classes, event.key);
        if (found) changed(found.label);
        else if (event.key === "ArrowDown") (event.currentTarget.nextElementSibling as HTMLElement | null)?.focus();
        else if (event.key === "ArrowUp") (event.currentTarget.previousElementSibling as HTMLElement | null)?.focus();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Thumb address={row.image} name={row.title} />
      <div class="review-main">
        <p class="review-title" dir="auto">{shorten(row.title, 220)}</p>
        <p class="faint">
          {row.asked ? `answered${row.by ? ` by ${row.by}` : ""} ${ago(row.at)}` : "predicted"}
          {row.probability !== null && ` · ${percent(row.probability)} sure`}
        </p>
      </div>
      <div class="review-label">
        {row.label !== null && <Chip label={row.label} quiet={!row.asked} />}
        {differs && (
          <span class="faint">
            model: <bdi>{row.predicted}</bdi>
          </span>
        )}
      </div>
      {page.value!.can_label && (
        <select
          aria-label={`Label of ${shorten(row.title, 60)}`}
          value=""
          onChange={(event) => {
            const found = classes[Number(event.currentTarget.value)];
            event.currentTarget.value = "";
            if (found) changed(found.label);
          }}
        >
          <option value="">{row.asked ? "Change…" : "Label…"}</option>
          {classes.map((one, place) => (
            <option key={one.label} value={String(place)}>
              {one.key ? `${one.key}  ` : ""}
              {one.label}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}

export function ReviewView() {
  const show = useSignal("least-sure");
  const search = useSignal("");
  const label = useSignal("");
  const rows = useSignal<ReviewRow[] | null>(null);
  const total = useSignal(0);
  const problem = useSignal("");
  const asked = useRef(0);
  const work = labelling.value!;

  const load = async (from: number) => {
    const turn = ++asked.current;
    try {
      const query = { show: show.value, search: search.value, label: label.value, offset: from, limit: STEP };
      const found = await getJson<{ rows: ReviewRow[]; total: number }>(at(project.value, "review", query));
      if (turn !== asked.current) return;
      rows.value = from ? [...(rows.value ?? []), ...found.rows] : found.rows;
      total.value = found.total;
      problem.value = "";
    } catch (error) {
      if (turn === asked.current) problem.value = (error as Error).message;
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(0), search.value ? 200 : 0);
    return () => clearTimeout(timer);
  }, [show.value, search.value, label.value]);

  const change = (row: ReviewRow, chosen: Label) => {
    work.relabel(row.node, chosen, { title: row.title, image: row.image ?? null, before: row.asked ? row.label : null });
    rows.value = (rows.value ?? []).map((one) =>
      one.node === row.node ? { ...one, label: chosen, asked: true, by: work.reviewer, at: Date.now() / 1000, probability: null } : one,
    );
  };

  const found = rows.value;
  return (
    <section class="review" aria-labelledby="review-title">
      <h2 id="review-title" class="hidden">Review</h2>
      <div class="review-tools">
        <div class="segments" role="group" aria-label="Show">
          {SHOWN.map(([value, words]) => (
            <button key={value} type="button" aria-pressed={show.value === value} onClick={() => (show.value = value)}>
              {words}
            </button>
          ))}
        </div>
        <label class="search">
          <Icon name="search" />
          <span class="hidden">Search</span>
          <input
            type="search"
            placeholder="Search…"
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
        </label>
        <label class="filter">
          <span class="hidden">Only the class</span>
          <select value={label.value} onChange={(event) => (label.value = event.currentTarget.value)}>
            <option value="">Every class</option>
            {page.value!.classes.map((one) => (
              <option key={one.label} value={one.label}>{one.label}</option>
            ))}
          </select>
        </label>
      </div>
      {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
      <p class="faint" role="status">
        {found ? `${plural(total.value, "item")}${found.length < total.value ? `, ${count(found.length)} shown` : ""}` : "Looking…"}
      </p>
      {found && !found.length && <p class="empty">Nothing here.</p>}
      <ul class="review-list">
        {found?.map((row) => <Row key={String(row.node)} row={row} changed={(chosen) => change(row, chosen)} />)}
      </ul>
      {found && found.length < total.value && (
        <button type="button" class="main quiet" onClick={() => void load(found.length)}>
          Show {Math.min(STEP, total.value - found.length)} more
        </button>
      )}
    </section>
  );
}
