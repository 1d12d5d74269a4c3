// The project on screen: its settings, the work of this person on it, and what both are told by the service.

import { signal } from "@preact/signals";
import { afterFrame } from "./after_frame.ts";
import { Labelling, type OlderActs } from "./labelling.ts";
import { DatabaseShelf, Outbox } from "./outbox.ts";
import type { AheadReply, PageChange, PageInfo, Turn, TurnReply } from "./protocol.ts";
import { at, getJson, loginWanted, meet, postJson, Problem } from "./server.ts";

export type Tab = "label" | "map" | "review" | "people" | "setup";
export const TABS: Tab[] = ["label", "map", "review", "people", "setup"];

export const project = signal("");
export const page = signal<PageInfo | null>(null);
export const labelling = signal<Labelling | null>(null);
export const failure = signal(""); // why the page cannot start
export const spoken = signal(""); // the live region
export const tab = signal<Tab>("label");
export const dialog = signal<"" | "help">("");

/** Say it to screen readers; a change of text is what makes them speak. */
export function announce(text: string): void {
  spoken.value = spoken.peek() === text ? `${text}\u00a0` : text;
}

const loaded = new Set<string>();

/** Pictures of questions sent ahead are loaded and decoded before they are wanted. */
function prefetch(turn: Turn): void {
  for (const address of [turn.item.image, ...turn.because.map((one) => one.image)]) {
    if (!address || loaded.has(address)) continue;
    loaded.add(address);
    const picture = new Image();
    picture.src = address;
    void picture.decode?.().catch(() => undefined);
  }
}

export async function openPage(name: string): Promise<void> {
  project.value = name;
  failure.value = "";
  try {
    await meet();
    page.value = await getJson<PageInfo>(at(name, "page"));
  } catch (error) {
    if (loginWanted.value) return;
    failure.value = error instanceof Problem ? error.message : "The service cannot be reached. Is it running?";
  }
}

export async function beginAs(reviewer: string): Promise<void> {
  const name = project.value;
  const outbox = new Outbox(await DatabaseShelf.open(), `${name}\n${reviewer}`);
  const work = new Labelling(reviewer, outbox, {
    send: (body, key) => postJson<TurnReply>(at(name, "turn"), body, key),
    older: (person, before) => recall(name, person, before),
    ahead: (person, node, passOver) => getJson<AheadReply>(at(name, "ahead", { reviewer: person, node, pass_over: passOver })),
    afterFrame,
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    now: () => performance.now(),
    prefetch,
    announce,
  });
  labelling.value = work;
  let history: OlderActs = { answers: [], more: false };
  try {
    history = await recall(name, reviewer);
  } catch {
    // the strip begins empty; answers still work
  }
  await work.start(history.answers, history.more);
  window.addEventListener("online", () => work.retry());
  listen(name, work);
}

/** What somebody did, the oldest of the newest first; of those before an act, where one is given. */
async function recall(name: string, reviewer: string, before?: string): Promise<OlderActs> {
  const query = { reviewer, limit: 60, ...(before !== undefined && { before }) };
  const { answers, more } = await getJson<OlderActs>(at(name, "history", query));
  return { answers: answers.toReversed(), more };
}

/** Others' answers change the model: the question, if it is still open, gets the newest guess. */
function listen(name: string, work: Labelling): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const source = new EventSource(at(name, "events"));
  source.addEventListener("events", (event) => {
    const { events } = JSON.parse((event as MessageEvent<string>).data) as { events: number };
    if (events === work.events.value) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (events !== work.events.value && work.waiting.value === 0) void work.refresh();
    }, 400);
  });
  source.addEventListener("open", () => work.retry());
}

export async function changePage(change: PageChange): Promise<void> {
  page.value = await postJson<PageInfo>(at(project.value, "page"), change);
  await labelling.value?.refresh();
}

export function followHash(): void {
  const read = () => {
    const wanted = location.hash.slice(1) as Tab;
    tab.value = TABS.includes(wanted) ? wanted : "label";
  };
  read();
  window.addEventListener("hashchange", read);
}
