// Numbers, times and texts as a person reads them.

export function percent(share: number): string {
  const value = share * 100;
  const digits = value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
  return unbroken(value > 0 && value < 0.1 ? "< 0.1 %" : value > 99.9 && value < 100 ? "> 99.9 %" : `${digits} %`);
}

/** The text with every number and its % on one line. */
export const unbroken = (text: string): string => text.replace(/([<>]) (?=\d)| (?=%)/g, "$1\u00a0");

export const count = (number: number): string => number.toLocaleString("en");

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  if (seconds < 5400) return plural(Math.round(seconds / 60), "minute");
  return plural(Math.round(seconds / 3600), "hour");
}

export function moment(at: number | string | null): Date | null {
  if (at === null) return null;
  const date = typeof at === "number" ? new Date(at < 1e11 ? at * 1000 : at) : new Date(at);
  return Number.isNaN(date.getTime()) ? null : date;
}

export function ago(at: number | string | null, now = Date.now()): string {
  const date = moment(at);
  if (!date) return "";
  const seconds = (now - date.getTime()) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 5400) return `${plural(Math.max(1, Math.round(seconds / 60)), "minute")} ago`;
  if (seconds < 129600) return `${plural(Math.round(seconds / 3600), "hour")} ago`;
  return date.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

export interface Piece {
  text: string;
  marked: boolean;
}

/** The text in pieces, those marked that are one of the terms (whole words, whatever the case). */
export function highlight(text: string, terms: readonly string[]): Piece[] {
  const wanted = terms.filter((term) => term.trim()).sort((a, b) => b.length - a.length);
  if (!wanted.length) return [{ text, marked: false }];
  const escaped = wanted.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), marked: false });
    pieces.push({ text: match[0], marked: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), marked: false });
  return pieces;
}

/** The start of a text, cut between words. */
export function shorten(text: string, length: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= length) return flat;
  const cut = flat.slice(0, length);
  const space = cut.lastIndexOf(" ");
  return `${space > length * 0.6 ? cut.slice(0, space) : cut}…`;
}
