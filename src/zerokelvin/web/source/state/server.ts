// Requests to the service: JSON in and out, problems as sentences, and what to do when it cannot be reached.

import { signal } from "@preact/signals";

/** The service said no, in its own words (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** The service could not be reached, or could not answer now: worth trying again. */
export class Unreachable extends Error {
  constructor(
    detail: string,
    readonly failed = false, // it was reached, and failed
  ) {
    super(detail);
  }
}

/** Whether the service wants a key first. */
export const loginWanted = signal(false);

/** Who the service takes this browser for. */
export interface Visitor {
  name: string;
  role: string;
  csrf?: string | null;
  keys: boolean;
}
export const visitor = signal<Visitor | null>(null);

/** Ask who we are; a service with keys answers 401 until one has signed in, and then gives the token that writing needs. */
export async function meet(): Promise<void> {
  visitor.value = await getJson<Visitor>("/v1/me");
  loginWanted.value = false;
}

export async function signIn(key: string): Promise<void> {
  visitor.value = await postJson<Visitor>("/label/login", { key });
  loginWanted.value = false;
}

export async function signOut(): Promise<void> {
  await postJson("/label/logout", {});
  visitor.value = null;
  loginWanted.value = true;
}

const TRY_AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);

export async function request(path: string, init: RequestInit = {}, timeout = 20000): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = visitor.peek()?.csrf;
  if (token && init.method === "POST") headers.set("Zerokelvin-CSRF", token);
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", signal: AbortSignal.timeout(timeout), ...init, headers });
  } catch {
    throw new Unreachable("The service cannot be reached.");
  }
  if (response.ok) return response;
  const detail = await problemText(response);
  if (response.status === 401) loginWanted.value = true;
  if (TRY_AGAIN.has(response.status)) throw new Unreachable(detail, response.status === 500);
  throw new Problem(response.status, detail);
}

async function problemText(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { detail?: string; title?: string };
    return body.detail ?? body.title ?? `The service answered ${response.status}.`;
  } catch {
    return `The service answered ${response.status}.`;
  }
}

export async function getJson<T>(path: string): Promise<T> {
  return (await request(path, { headers: { Accept: "application/json" } })).json() as Promise<T>;
}

export async function postJson<T>(path: string, body: unknown, key?: string): Promise<T> {
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json() as Promise<T>;
}

export async function getBytes(path: string): Promise<ArrayBuffer> {
  return (await request(path, {}, 60000)).arrayBuffer();
}

/** The address of something of a project: `at("digits", "items", {node: [1, 2]})`. */
export function at(project: string, what: string, query: Record<string, unknown> = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") values.append(name, String(one));
    }
  }
  const text = values.toString();
  return `/v1/projects/${encodeURIComponent(project)}/${what}${text ? `?${text}` : ""}`;
}

/** A name no two acts share; also where crypto.randomUUID is missing (plain HTTP on a network name). */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
