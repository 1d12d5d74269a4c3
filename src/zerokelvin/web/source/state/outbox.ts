// Acts that the service has not confirmed, kept in the browser's database so that a tab or browser that dies loses
// none; each leaves only when the service has said "saved" (or why it refuses). The act's id makes sending it twice safe.

import type { Act } from "./protocol.ts";

export interface Kept {
  order: number;
  owner: string;
  act: Act;
}

/** Where acts are kept: the browser's database, or memory where there is none. */
export interface Shelf {
  put(kept: Kept): Promise<void>;
  remove(ids: string[]): Promise<void>;
  all(owner: string): Promise<Kept[]>;
}

export class MemoryShelf implements Shelf {
  private kept = new Map<string, Kept>();
  async put(kept: Kept): Promise<void> {
    this.kept.set(kept.act.id, kept);
  }
  async remove(ids: string[]): Promise<void> {
    for (const id of ids) this.kept.delete(id);
  }
  async all(owner: string): Promise<Kept[]> {
    return [...this.kept.values()].filter((kept) => kept.owner === owner).sort((a, b) => a.order - b.order);
  }
}

const STORE = "acts";

export class DatabaseShelf implements Shelf {
  private constructor(private readonly database: IDBDatabase) {}

  static open(name = "zerokelvin"): Promise<Shelf> {
    return new Promise((resolve) => {
      let asked: IDBOpenDBRequest;
      try {
        asked = indexedDB.open(name, 1);
      } catch {
        resolve(new MemoryShelf());
        return;
      }
      asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "act.id" });
      asked.onsuccess = () => resolve(new DatabaseShelf(asked.result));
      asked.onerror = () => resolve(new MemoryShelf());
    });
  }

  private change(work: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
      work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("not kept"));
    });
  }

  put(kept: Kept): Promise<void> {
    return this.change((store) => store.put(kept));
  }

  remove(ids: string[]): Promise<void> {
    return this.change((store) => {
      for (const id of ids) store.delete(id);
    });
  }

  all(owner: string): Promise<Kept[]> {
    return new Promise((resolve, reject) => {
      const asked = this.database.transaction(STORE).objectStore(STORE).getAll() as IDBRequest<Kept[]>;
      asked.onsuccess = () =>
        resolve(asked.result.filter((kept) => kept.owner === owner).sort((a, b) => a.order - b.order));
      asked.onerror = () => reject(asked.error ?? new Error("not read"));
    });
  }
}

/** The queue in order of acting; what waits is in memory at once and on the shelf a moment later. */
export class Outbox {
  private waiting: Act[] = [];

  constructor(
    private readonly shelf: Shelf,
    private readonly owner: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Acts that an earlier tab could not send, oldest first. */
  async recover(): Promise<Act[]> {
    const kept = await this.shelf.all(this.owner);
    const known = new Set(this.waiting.map((act) => act.id));
    const found = kept.map((one) => one.act).filter((act) => !known.has(act.id));
    this.waiting = [...found, ...this.waiting];
    return found;
  }

  /** Put an act at the end of the queue; what comes back puts it on the shelf. */
  add(act: Act): () => Promise<void> {
    this.waiting.push(act);
    this.last = Math.max(this.now(), this.last + 1);
    const kept = { order: this.last, owner: this.owner, act };
    return () => this.shelf.put(kept);
  }
  private last = 0;

  settle(ids: string[]): Promise<void> {
    const gone = new Set(ids);
    this.waiting = this.waiting.filter((act) => !gone.has(act.id));
    return this.shelf.remove(ids);
  }

  get acts(): readonly Act[] {
    return this.waiting;
  }
}
