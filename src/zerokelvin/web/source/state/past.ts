// What this person did, oldest first: the strip of past answers, and what undo and redo would take next. The service
// keeps the same list; the page keeps its own so that it need not wait.

import type { Act, HistoryAnswer, Label, Node, Turn } from "./protocol.ts";

export interface PastAct {
  id: string;
  kind: string;
  node: Node | null;
  title: string;
  image: string | null;
  label: Label | null;
  before: Label | null; // the label that a change replaced
  of: string | null; // the act that a change is about
  count: number; // items labelled by this one act
  undone: boolean;
  state: "waiting" | "saved" | "refused";
  detail: string;
  turn: Turn | null;
}

/** The newest act that undo takes back. */
export function undoable(past: readonly PastAct[]): PastAct | undefined {
  return past.findLast((act) => !act.undone && act.state !== "refused");
}

/** The act that redo brings back: the first of those undone since the last act that stands. */
export function redoable(past: readonly PastAct[]): PastAct | undefined {
  const last = past.findLastIndex((act) => !act.undone && act.state !== "refused");
  return past.slice(last + 1).find((act) => act.undone);
}

/** The acts that the strip shows: changes appear as the new label of what they changed. */
export function shownInStrip(past: readonly PastAct[]): PastAct[] {
  return past.filter((act) => act.kind !== "change" || !past.some((other) => other.id === act.of));
}

/** The label that an answer now has, after the changes that stand. */
export function labelNow(past: readonly PastAct[], act: PastAct): Label | null {
  return past.findLast((other) => other.of === act.id && !other.undone && other.state !== "refused")?.label ?? act.label;
}

export function fromTurn(act: Act, turn: Turn, count = 1): PastAct {
  return {
    id: act.id,
    kind: act.kind,
    node: turn.node,
    title: turn.item.title,
    image: turn.item.image,
    label: act.label ?? null,
    before: null,
    of: null,
    count,
    undone: false,
    state: "waiting",
    detail: "",
    turn,
  };
}

export function fromHistory(row: HistoryAnswer): PastAct {
  return {
    id: row.id,
    kind: row.kind,
    node: row.node,
    title: row.title,
    image: row.image ?? null,
    label: row.label,
    before: null,
    of: null,
    count: row.items ?? 1,
    undone: row.undone,
    state: "saved",
    detail: "",
    turn: null,
  };
}
