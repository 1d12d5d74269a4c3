import assert from "node:assert/strict";
import { test } from "node:test";
import { Labelling, type TurnRequest } from "./labelling.ts";
import { MemoryShelf, Outbox } from "./outbox.ts";
import type { AheadReply, Done, HistoryAnswer, Label, Node, Standing, Turn, TurnReply } from "./protocol.ts";
import { Problem, Unreachable } from "./server.ts";

const turnOf = (node: Node): Turn => ({
  node,
  item: { node, title: `item ${node}`, terms: [], fields: [], image: null, neighbours: [], edges: [], duplicates: [], direction: "auto", index: 0 },
  label: "a",
  probabilities: [["a", 1]],
  reason: "",
  because: [],
  decision: `d${node}`,
  audit: false,
  hidden: false,
  lease_until: null,
  duplicates: 0,
});

const standing: Standing = {
  answered: 0, items: 9, mistakes: 0, target: null, error_at_most: null, estimate: null, confidence: 0.95, checks: 0,
  answers_left: null, seconds_left: null, sentence: "", others: [],
};

/** A service in memory: asks 0, 1, 2 … of those without an answer; can be cut off before or after it has saved. */
class Service {
  requests: TurnRequest[] = [];
  labels = new Map<Node, Label>();
  seen = new Map<string, { node: Node; label: Label | undefined }>();
  broken: null | "before" | "after" | "refuses" = null;
  clock = 0;
  said: string[] = [];
  gone = new Set<Node>();
  waits: (() => void)[] = [];

  constructor(readonly items = 6) {}

  open(without?: Node): Node | null {
    for (let node = 0; node < this.items; node++) {
      if (!this.labels.has(node) && node !== without && !this.gone.has(node)) return node;
    }
    return null;
  }

  async send(request: TurnRequest): Promise<TurnReply> {
    if (this.broken === "before") throw new Unreachable("down");
    if (this.broken === "refuses") throw new Problem(403, "no");
    this.requests.push(structuredClone(request));
    let back: Node | null = null;
    for (const act of request.acts) {
      if (this.seen.has(act.id)) continue;
      this.seen.set(act.id, { node: act.node!, label: act.label });
      if (act.kind === "answer" || act.kind === "change") this.labels.set(act.node!, act.label!);
      if (act.kind === "undo") {
        back = this.seen.get(act.of!)!.node;
        this.labels.delete(back);
      }
      if (act.kind === "redo") this.labels.set(this.seen.get(act.of!)!.node, this.seen.get(act.of!)!.label!);
    }
    if (this.broken === "after") throw new Unreachable("died after saving");
    const shown = request.have[0];
    const kept = shown !== undefined && !this.labels.has(shown) && !this.gone.has(shown) ? shown : this.open();
    const node = back ?? kept;
    const done: Done = node === null ? "all-answered" : null;
    return { saved: request.acts.map((act) => act.id), refused: [], question: node === null ? null : turnOf(node), standing, done, events: this.seen.size };
  }

  /** Acts done in earlier tabs, two at a time. */
  history: HistoryAnswer[] = [];

  async older(before: string): Promise<{ answers: HistoryAnswer[]; more: boolean }> {
    const end = this.history.findIndex((row) => row.id === before);
    return { answers: this.history.slice(Math.max(end - 2, 0), end), more: end > 2 };
  }

  async ahead(_: string, node: Node): Promise<AheadReply> {
    const next = this.open(node);
    const question = next === null ? null : turnOf(next);
    return { node, events: 0, after: [{ answer: "a", question }, { answer: null, question }], left: 0 };
  }

  world() {
    return {
      send: (request: TurnRequest) => this.send(request),
      older: (_: string, before: string) => this.older(before),
      ahead: (person: string, node: Node) => this.ahead(person, node),
      afterFrame: (work: () => void) => work(),
      wait: () => new Promise<void>((resolve) => this.waits.push(resolve)),
      prefetch: () => undefined,
      announce: (text: string) => void this.said.push(text),
      now: () => this.clock,
    };
  }
}

const settled = async () => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

async function begin(service: Service, shelf = new MemoryShelf()) {
  const work = new Labelling("ana", new Outbox(shelf, "ana"), service.world());
  await work.start([]);
  await settled();
  return work;
}

test("the next question is there before the service has answered", async () => {
  const service = new Service();
  const work = await begin(service);
  assert.equal(work.question.value?.node, 0);
  assert.ok(work.isReady("a"));
  work.answer("a");
  assert.equal(work.question.value?.node, 1);
  assert.equal(work.waiting.value, 1);
  assert.equal(work.past.value.at(-1)?.state, "waiting");
  await settled();
  assert.equal(work.waiting.value, 0);
  assert.equal(work.past.value.at(-1)?.state, "saved");
  assert.deepEqual([...service.labels], [[0, "a"]]);
});

test("an answer that was not foreseen waits for the service and loses nothing", async () => {
  const service = new Service();
  const work = await begin(service);
  work.answer("b");
  assert.equal(work.question.value, null);
  assert.equal(work.answer("b"), false);
  await settled();
  assert.equal((work.question.value as Turn | null)?.node, 1);
});

test("all answered", async () => {
  const work = await begin(new Service(2));
  work.answer("a");
  await settled();
  work.answer("a");
  await settled();
  assert.equal(work.question.value, null);
  assert.equal(work.done.value, "all-answered");
});

test("offline answers are kept, counted and sent once each when the service is back", async () => {
  const service = new Service();
  const shelf = new MemoryShelf();
  const work = await begin(service, shelf);
  service.broken = "before";
  work.answer("a");
  await settled();
  assert.equal(work.link.value, "offline");
  work.answer("b");
  await settled();
  assert.equal(work.waiting.value, 2);
  assert.equal((await shelf.all("ana")).length, 2);
  service.broken = null;
  work.retry();
  await settled();
  assert.equal(work.waiting.value, 0);
  assert.equal(work.link.value, "idle");
  assert.deepEqual([...service.labels], [[0, "a"], [1, "b"]]);
  assert.equal((await shelf.all("ana")).length, 0);
});

test("a service that dies after saving gets the same request again, with the same ids", async () => {
  const service = new Service();
  const work = await begin(service);
  service.broken = "after";
  work.answer("a");
  await settled();
  service.broken = null;
  work.retry();
  await settled();
  const sent = service.requests.filter((request) => request.acts.length);
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[0], sent[1]);
  assert.equal(service.seen.size, 1);
});

test("a tab that dies leaves its acts to the next one", async () => {
  const service = new Service();
  const shelf = new MemoryShelf();
  const work = await begin(service, shelf);
  service.broken = "before";
  work.answer("a");
  await settled();
  service.broken = null;
  const next = await begin(service, shelf);
  assert.deepEqual([...service.labels], [[0, "a"]]);
  assert.equal(next.question.value?.node, 1);
  assert.equal(next.waiting.value, 0);
});

test("undo to any depth and redo, with the question back at once", async () => {
  const service = new Service();
  const work = await begin(service);
  for (let i = 0; i < 3; i++) {
    work.answer("a");
    await settled();
  }
  work.undo();
  assert.equal(work.question.value?.node, 2);
  await settled();
  work.undo();
  assert.equal(work.question.value?.node, 1);
  await settled();
  assert.deepEqual([...service.labels.keys()], [0]);
  work.redo();
  await settled();
  assert.deepEqual([...service.labels.keys()].sort(), [0, 1]);
  work.redo();
  await settled();
  assert.equal(service.labels.size, 3);
  assert.equal(work.redo(), false);
  assert.equal(work.question.value?.node, 3);
});

test("undo pressed while a selection is being labelled takes back the selection, not what was before", async () => {
  const service = new Service();
  const work = await begin(service);
  work.answer("a");
  await settled();
  const act = { ...work.past.value[0]!, id: "many", kind: "label-many", node: null, turn: null, count: 12 };
  let arrive!: (reply: TurnReply) => void;
  const joined = work.join(act, new Promise((resolve) => (arrive = resolve)));
  assert.equal(work.undo(), true);
  await settled();
  assert.deepEqual(work.past.value.map((one) => one.undone), [false]);
  service.seen.set("many", { node: 5, label: "a" });
  arrive(await service.send({ ...service.requests.at(-1)!, acts: [] }));
  await joined;
  await settled();
  assert.deepEqual(work.past.value.map((one) => one.undone), [false, true]);
});

test("a selection that could not be labelled is not in the way of undo", async () => {
  const work = await begin(new Service());
  work.answer("a");
  await settled();
  const joined = work.join(work.past.value[0]!, Promise.reject(new Error("offline")));
  await assert.rejects(joined, /offline/);
  await settled();
  work.undo();
  assert.deepEqual(work.past.value.map((one) => one.undone), [true]);
});

test("a new answer ends what could be redone", async () => {
  const work = await begin(new Service());
  work.answer("a");
  await settled();
  work.undo();
  await settled();
  work.answer("b");
  await settled();
  assert.equal(work.canRedo.value, false);
});

test("a past answer is changed by one act", async () => {
  const service = new Service();
  const work = await begin(service);
  work.answer("a");
  await settled();
  const first = work.past.value[0]!;
  work.change(first.id, "b");
  await settled();
  assert.equal(service.labels.get(0), "b");
  assert.equal(service.requests.at(-1)?.acts[0]?.kind, "change");
  assert.equal(work.question.value?.node, 1);
});

test("a question that is gone is replaced, and an answer meant for it is not taken for the next", async () => {
  const service = new Service();
  const work = await begin(service);
  service.clock = 5000;
  service.gone.add(0);
  await work.refresh();
  await settled();
  assert.equal(work.question.value?.node, 1);
  assert.equal(work.answer("a"), false);
  assert.ok(service.said.some((text) => text.includes("settled")));
  service.clock = 6000;
  assert.equal(work.answer("a"), true);
});

test("a refusal of the whole request stops and says why; nothing is thrown away", async () => {
  const service = new Service();
  const shelf = new MemoryShelf();
  const work = await begin(service, shelf);
  service.broken = "refuses";
  work.answer("a");
  await settled();
  assert.equal(work.link.value, "stopped");
  assert.equal(work.problem.value, "no");
  assert.equal((await shelf.all("ana")).length, 1);
  service.broken = null;
  work.retry();
  await settled();
  assert.equal(service.labels.get(0), "a");
});

test("undo goes back before what the page was opened with, to the first act of all", async () => {
  const service = new Service(9);
  for (let node = 0; node < 7; node++) {
    const id = `old${node}`;
    service.labels.set(node, "a");
    service.seen.set(id, { node, label: "a" });
    service.history.push({ id, node, title: `item ${node}`, label: "a", predicted: null, by: "ana", at: node, kind: "answer", undone: false });
  }
  const work = new Labelling("ana", new Outbox(new MemoryShelf(), "ana"), service.world());
  await work.start(service.history.slice(-2), true);
  await settled();
  for (let step = 0; step < 7; step++) {
    assert.ok(work.canUndo.value);
    assert.ok(work.undo());
    await settled();
  }
  assert.equal(work.canUndo.value, false);
  assert.equal(service.labels.size, 0);
  for (let step = 0; step < 7; step++) {
    assert.ok(work.redo());
    await settled();
  }
  assert.equal(service.labels.size, 7);
});
