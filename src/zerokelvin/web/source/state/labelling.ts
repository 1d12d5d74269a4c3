// The work of one person on one project. An answer shows the next question at once, from those the service sent ahead
// for each likely answer; the act goes to the outbox, then to the service, and counts as saved when the service says so.

import { batch, computed, signal } from "@preact/signals";
import type { Outbox } from "./outbox.ts";
import { fromHistory, fromTurn, redoable, undoable, type PastAct } from "./past.ts";
import type { Act, ActKind, AheadReply, Done, HistoryAnswer, Label, Node, Standing, Turn, TurnReply } from "./protocol.ts";
import { newId, Problem, Unreachable } from "./server.ts";

export interface TurnRequest {
  reviewer: string;
  acts: Act[];
  have: Node[];
  ahead: boolean;
}

export interface Surroundings {
  send(request: TurnRequest, key: string): Promise<TurnReply>;
  older(reviewer: string, before: string): Promise<OlderActs>; // acts before one, the oldest first
  ahead(reviewer: string, node: Node, passOver: number): Promise<AheadReply>;
  afterFrame(work: () => void): void;
  wait(milliseconds: number): Promise<void>;
  prefetch(turn: Turn): void;
  announce(text: string): void;
  now(): number;
}

export interface OlderActs {
  answers: HistoryAnswer[];
  more: boolean;
}

export type Link = "idle" | "sending" | "offline" | "stopped";

const CALM = 350; // milliseconds in which a question that came by itself takes no answer meant for the one before
const NEAR_THE_END = 20; // acts left to undo at which older ones are fetched
const SPARES = 40; // questions sent ahead for other answers, kept to go on with while offline

export class Labelling {
  readonly question = signal<Turn | null>(null);
  readonly done = signal<Done>(null);
  readonly standing = signal<Standing | null>(null);
  readonly past = signal<PastAct[]>([]);
  readonly waiting = signal(0);
  readonly link = signal<Link>("idle");
  readonly problem = signal("");
  readonly chosen = signal<string | null>(null); // the past act that the next class key changes
  readonly together = signal(true); // near-duplicates are answered with the item
  readonly events = signal(0);
  readonly more = signal(false); // the service has older acts of this person than are here
  readonly canUndo = computed(() => this.more.value || undoable(this.past.value) !== undefined);
  readonly canRedo = computed(() => redoable(this.past.value) !== undefined);

  private after = new Map<Label | null, Turn | null>();
  private spares: Turn[] = [];
  private pumping = false;
  private wanted = false;
  private wake: (() => void) | null = null;
  private looks = 0;
  private shownAt = 0;
  private recalling = false;
  private pending: Promise<void> | null = null; // an act that another request is doing
  private calmUntil = 0;

  constructor(
    readonly reviewer: string,
    private readonly outbox: Outbox,
    private readonly world: Surroundings,
  ) {}

  /** Begin with what the service knows of this person; acts that an earlier tab kept are sent first. */
  async start(history: HistoryAnswer[], more = false): Promise<void> {
    this.more.value = more;
    const found = await this.outbox.recover();
    const known = new Set(history.map((row) => row.id));
    const kept = found.filter((act) => !known.has(act.id)).map(fromAct);
    this.past.value = [...history.map(fromHistory), ...kept];
    this.waiting.value = this.outbox.acts.length;
    await this.refresh();
  }

  /** Ask the service for the newest question and standing; sends what waits too. */
  refresh(): Promise<void> {
    this.wanted = true;
    return this.pump();
  }

  /** True for a moment after a question came that this person did not call for. */
  get calming(): boolean {
    return this.world.now() < this.calmUntil;
  }

  /** Whether the question after this answer is already in the page. */
  isReady(label: Label | null): boolean {
    return !!this.after.get(label);
  }

  answer(label: Label): boolean {
    return this.act("answer", label);
  }

  /** Put the question off: "skip", "unsure" or "someone-else". */
  putOff(kind: "skip" | "unsure" | "someone-else"): boolean {
    return this.act(kind);
  }

  private act(kind: ActKind, label?: Label): boolean {
    const turn = this.question.value;
    if (!turn || this.calming) return false;
    const act: Act = { id: newId(), kind, node: turn.node };
    if (label !== undefined) act.label = label;
    if (turn.decision) act.decision = turn.decision;
    const group = kind === "answer" && this.together.value && turn.duplicates > 0;
    act.duplicates = group;
    act.seconds = Math.round(this.world.now() - this.shownAt) / 1000;
    batch(() => {
      this.past.value = [...this.past.value, fromTurn(act, turn, group ? 1 + turn.duplicates : 1)];
      this.advance(label ?? null, turn.node);
    });
    this.post(act);
    return true;
  }

  /** Show the question sent ahead for this answer, or none until the service says which. */
  private advance(answer: Label | null, node: Node): void {
    const next = this.after.get(answer);
    const others = [...this.after.values()].filter((turn): turn is Turn => !!turn && turn.node !== next?.node);
    this.spares = [...others, ...this.spares].filter((turn) => turn.node !== node).slice(0, SPARES);
    this.after = new Map();
    this.show(next ?? (this.link.value === "offline" ? this.spare() : null));
  }

  private spare(): Turn | null {
    const answered = new Set(this.past.value.filter((act) => !act.undone).map((act) => act.node));
    this.spares = this.spares.filter((turn) => !answered.has(turn.node));
    return this.spares.shift() ?? null;
  }

  private show(turn: Turn | null): void {
    this.question.value = turn;
    this.shownAt = this.world.now();
    this.together.value = true;
  }

  /** Fetch acts before the oldest one here, so that undo goes to any depth. */
  private async recall(): Promise<void> {
    const oldest = this.past.value[0];
    if (this.recalling || !this.more.value || !oldest) return;
    this.recalling = true;
    try {
      const { answers, more } = await this.world.older(this.reviewer, oldest.id);
      batch(() => {
        this.past.value = [...answers.map(fromHistory), ...this.past.value];
        this.more.value = more && answers.length > 0;
      });
    } catch {
      // offline: the next undo asks again
    } finally {
      this.recalling = false;
    }
  }

  undo(): boolean {
    if (this.pending) {
      void this.pending.then(() => this.undo());
      return true;
    }
    const act = undoable(this.past.value);
    if (this.past.value.filter((one) => !one.undone).length <= NEAR_THE_END) void this.recall();
    if (!act) return false;
    const current = this.question.value;
    batch(() => {
      this.mark(act.id, { undone: true });
      if (act.kind !== "change") {
        if (current) this.spares.unshift(current);
        this.after = new Map();
        this.show(act.turn);
        this.done.value = null;
      }
    });
    this.world.announce(`Undone: ${act.title}`);
    this.post({ id: newId(), kind: "undo", of: act.id });
    return true;
  }

  redo(): boolean {
    if (this.pending) {
      void this.pending.then(() => this.redo());
      return true;
    }
    const act = redoable(this.past.value);
    if (!act) return false;
    batch(() => {
      this.mark(act.id, { undone: false });
      if (act.node === this.question.value?.node) this.advance(act.label, act.node!);
    });
    this.world.announce(`Done again: ${act.title}`);
    this.post({ id: newId(), kind: "redo", of: act.id });
    return true;
  }

  /** Give a past answer another label. */
  change(id: string, label: Label): boolean {
    const act = this.past.value.find((one) => one.id === id);
    if (!act || act.node === null) return false;
    this.relabel(act.node, label, { of: id, title: act.title, image: act.image, before: act.label });
    return true;
  }

  /** Label an item that is not the question: from the strip, the review tab or the map. */
  relabel(node: Node, label: Label, about: { of?: string; title: string; image: string | null; before: Label | null }): void {
    const kind: ActKind = about.of !== undefined || about.before !== null ? "change" : "answer";
    const act: Act = { id: newId(), kind, node, label };
    if (about.of) act.of = about.of;
    const row: PastAct = { ...fromAct(act), title: about.title, image: about.image, before: about.before };
    batch(() => {
      this.past.value = [...this.past.value, row];
      if (this.question.value?.node === node) this.advance(label, node);
    });
    this.world.announce(`${about.title}: ${label}`);
    this.post(act);
  }

  /** What another request of the page does as one act (a selection on the map); undo waits until it is done. */
  async join(act: PastAct, request: Promise<TurnReply>): Promise<void> {
    const done = request.then((reply) =>
      batch(() => {
        this.past.value = [...this.past.value, act];
        this.take(reply);
      }),
    );
    const settled = done.catch(() => undefined).then(() => {
      if (this.pending === settled) this.pending = null;
    });
    this.pending = settled;
    await done;
  }

  /** The next question is drawn first: what is kept and sent, and what the service does then, would take time from it. */
  private post(act: Act): void {
    const keep = this.outbox.add(act);
    this.waiting.value = this.outbox.acts.length;
    this.world.afterFrame(() => {
      void keep().catch(() => undefined);
      void this.pump();
    });
  }

  /** Try again now, without waiting for the next turn of the clock. */
  retry(): void {
    this.wake?.();
    if (this.link.value === "stopped") this.link.value = "idle";
    void this.pump();
  }

  private async pump(): Promise<void> {
    if (this.pumping) return;
    this.pumping = true;
    let pause = 500;
    let failed = ""; // what the service said when it failed
    let request: { body: TurnRequest; key: string } | null = null;
    try {
      while (request || this.wanted || this.outbox.acts.length) {
        if (!request) {
          const shown = this.question.value;
          const have = [...(shown ? [shown.node] : []), ...this.spares.slice(0, 8).map((turn) => turn.node)];
          const acts = this.outbox.acts.slice(0, 100);
          request = { body: { reviewer: this.reviewer, acts, have, ahead: true }, key: newId() };
          this.wanted = false;
        }
        if (this.link.value !== "offline") this.link.value = "sending";
        try {
          const reply = await this.world.send(request.body, request.key);
          request = null;
          pause = 500;
          if (failed) this.problem.value = failed = "";
          batch(() => this.take(reply));
        } catch (error) {
          if (error instanceof Problem) {
            this.problem.value = error.message;
            this.link.value = "stopped";
            return;
          }
          batch(() => {
            this.link.value = "offline";
            if (error instanceof Unreachable && error.failed) this.problem.value = failed = error.message;
            if (!this.question.value && !this.done.value) this.show(this.spare());
          });
          await Promise.race([this.world.wait(pause), new Promise<void>((resolve) => (this.wake = resolve))]);
          pause = Math.min(pause * 2, 8000);
        }
      }
      this.link.value = "idle";
    } finally {
      this.pumping = false;
    }
  }

  private take(reply: TurnReply): void {
    const saved = new Set(reply.saved);
    const refused = new Map(reply.refused.map((one) => [one.id, one.detail]));
    if (saved.size || refused.size) {
      void this.outbox.settle([...saved, ...refused.keys()]).catch(() => undefined);
      this.past.value = this.past.value.map((act) =>
        saved.has(act.id)
          ? { ...act, state: "saved" }
          : refused.has(act.id)
            ? { ...act, state: "refused", detail: refused.get(act.id)! }
            : act,
      );
    }
    for (const detail of refused.values()) {
      this.problem.value = detail;
      this.world.announce(`Not taken: ${detail}`);
    }
    this.waiting.value = this.outbox.acts.length;
    this.standing.value = reply.standing;
    this.events.value = reply.events;
    if (!this.outbox.acts.length) this.settle(reply);
    this.link.value = "idle";
  }

  /** Nothing is on its way: what the service asks is what is asked. */
  private settle(reply: TurnReply): void {
    const shown = this.question.value;
    this.done.value = reply.done;
    if (shown && reply.question?.node === shown.node) {
      this.question.value = reply.question;
    } else {
      const surprise = shown !== null && this.world.now() - this.shownAt > CALM;
      this.show(reply.question);
      if (shown) this.calmUntil = this.world.now() + CALM;
      if (surprise && reply.question) this.world.announce("This item is settled; here is the next.");
    }
    if (reply.question) void this.lookAhead(reply.question.node);
  }

  /** Fetch the question that follows each answer, the likely ones first, so that it is here before the answer is. */
  private async lookAhead(node: Node): Promise<void> {
    const looking = ++this.looks;
    let found = 0;
    for (let left = 1; left > 0; ) {
      let reply: AheadReply;
      try {
        reply = await this.world.ahead(this.reviewer, node, found);
      } catch {
        return; // then the next question comes with the turn
      }
      if (looking !== this.looks || this.question.value?.node !== node || reply.node !== node) return;
      if (!found) this.after = new Map();
      for (const { answer, question } of reply.after) {
        this.after.set(answer, question);
        if (question) this.world.prefetch(question);
      }
      found += reply.after.filter((one) => one.answer !== null).length;
      left = reply.after.length ? reply.left : 0;
    }
  }

  private mark(id: string, change: Partial<PastAct>): void {
    this.past.value = this.past.value.map((act) => (act.id === id ? { ...act, ...change } : act));
  }
}

function fromAct(act: Act): PastAct {
  return {
    id: act.id,
    kind: act.kind,
    node: act.node ?? null,
    title: act.node === undefined ? act.kind : String(act.node),
    image: null,
    label: act.label ?? null,
    before: null,
    of: act.of ?? null,
    count: 1,
    undone: false,
    state: "waiting",
    detail: "",
    turn: null,
  };
}
