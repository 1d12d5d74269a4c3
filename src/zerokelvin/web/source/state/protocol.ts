// The messages between the page and the service; the same names as in client/page_messages.py.

export interface ClassInfo {
  label: Label;
  key: string | null;
  notes: string;
  colour: string | null;
}

export type Kind = "text" | "row" | "image" | "node";

export interface PageInfo {
  name: string;
  kind: Kind;
  items: number;
  classes: ClassInfo[];
  open_classes: boolean;
  guidelines: string;
  target: number | null;
  confidence: number;
  audit_share: number;
  overlap: number;
  hide_guess: boolean;
  map: boolean;
  reviewers_enabled: boolean;
  can_label: boolean;
  can_admin: boolean;
}

export interface PageChange {
  guidelines?: string;
  notes?: Record<string, string>;
  add_classes?: Label[];
  target?: number;
  audit_share?: number;
  overlap?: number;
  hide_guess?: boolean;
}

export type Node = string | number;
export type Label = string | number;

export interface Neighbour {
  node: Node;
  title: string;
  label: Label | null;
  predicted: Label | null;
  weight: number;
  image?: string | null;
}

export interface Item {
  node: Node;
  title: string;
  text?: string | null;
  terms: string[];
  fields: [string, string][];
  image: string | null;
  neighbours: Neighbour[];
  edges: [number, number][];
  duplicates: Node[];
  direction: "ltr" | "rtl" | "auto";
  index: number;
}

export interface Because {
  node: Node;
  title: string;
  label: Label;
  share: number;
  image: string | null;
}

export interface Turn {
  node: Node;
  item: Item;
  label: Label | null;
  probabilities: [Label, number][];
  reason: string;
  because: Because[];
  decision: string | null;
  audit: boolean;
  hidden: boolean;
  lease_until: number | string | null;
  duplicates: number;
}

export type ActKind = "answer" | "skip" | "unsure" | "someone-else" | "undo" | "redo" | "change";

export interface Act {
  id: string;
  kind: ActKind;
  node?: Node;
  label?: Label;
  decision?: string;
  duplicates?: boolean;
  of?: string;
  seconds?: number; // how long the person looked at it
}

export interface Standing {
  answered: number;
  items: number;
  mistakes: number;
  target: number | null;
  error_at_most: number | null;
  estimate: number | null;
  confidence: number;
  checks: number;
  answers_left: number | null;
  seconds_left: number | null;
  sentence: string;
  others: { reviewer: string; node: Node; until: number | string | null }[];
}

export type Done = null | "all-answered" | "target-reached" | "budget" | "leased-to-others" | "no-classes";

export interface TurnReply {
  saved: string[];
  refused: { id: string; detail: string }[];
  question: Turn | null;
  standing: Standing;
  done: Done;
  events: number;
}

/** The question after some answers to `node`, the likely ones first; the answer null stands for skip, unsure and someone else. */
export interface AheadReply {
  node: Node;
  events: number;
  after: { answer: Label | null; question: Turn | null }[];
  left: number; // answers that can be asked for yet
}

export interface HistoryAnswer {
  id: string;
  node: Node;
  title: string;
  label: Label | null;
  predicted: Label | null;
  by: string;
  at: number | string;
  kind: string;
  undone: boolean;
  image?: string | null;
  items?: number;
}

export interface ReviewRow {
  node: Node;
  title: string;
  label: Label | null;
  probability: number | null;
  asked: boolean;
  by: string | null;
  at: number | string | null;
  predicted: Label | null;
  image?: string | null;
}

export interface Selection {
  count: number;
  label: Label | null; // what the model says most often there
  disagree: number; // for so many it says something else
  otherwise: number; // so many were given another label by people
  check_first: Node[];
  labels: Record<string, number>;
}

export interface Certificate {
  sentence: string;
  error_at_most: number | null;
  confidence: number;
  checks: number;
  unasked: number;
}

export interface Reviewers {
  reviewers: { reviewer: string; answers: number; last: number | string | null; on: Node | null; until: number | string | null }[];
  overlap: number;
  kappa: number | null;
  alpha: number | null;
}
