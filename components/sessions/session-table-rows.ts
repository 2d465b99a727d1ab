import type { SessionState } from "#lib/kernel/load/compaction-state.ts";
import { beginsWord, escaped, wordsIn } from "#lib/kernel/log/word-pattern.ts";
// What a row of the table says of its session. Pure.

/** Characters of a snippet before its first hit. */
const BEFORE_HIT = 24;

/** The share of its own load line that a session reached; null where one of the two is not known. */
export function peakShare(peak: { readonly tokens: number | null; readonly loadLine: number | null }): number | null {
  return peak.tokens === null || peak.loadLine === null || peak.loadLine <= 0 ? null : peak.tokens / peak.loadLine;
}

/** The last two folders of a path: what a person calls the project. */
export function projectName(cwd: string): string {
  return cwd.split(/[\\/]/).filter(Boolean).slice(-2).join("/") || cwd;
}

/** A snippet that begins shortly before its first hit: what a line has room for must hold the hit. */
export function snippetNearHit(snippet: string): string {
  const hit = snippet.indexOf("\u0002");
  const from = hit - BEFORE_HIT;
  if (from <= 0) return snippet;
  const space = snippet.indexOf(" ", from);
  return `…${snippet.slice(space >= 0 && space < hit ? space + 1 : from)}`;
}

/** Where a session opens: at the event that a search found, with what was searched for marked in it. */
export function sessionHref(session: { readonly id: string; readonly hit: number | null }, q: string): string {
  const path = `/sessions/${session.id}`;
  return session.hit === null ? path : `${path}?${new URLSearchParams({ event: String(session.hit), find: q.trim() })}`;
}

/** Marks the words of a search in a text, as the server marks them in a snippet. Null when there is none. */
export function markWords(text: string, searched: string): string | null {
  const words = wordsIn(searched).filter((word) => word !== "AND" && word !== "OR" && word !== "NOT");
  if (words.length === 0) return null;
  const marked = text.replace(beginsWord(words.map(escaped)), "\u0002$&\u0003");
  return marked === text ? null : marked;
}

/** States as filters; a row says how often it was compacted. */
export const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  refused: "Refused",
  compacted: "Compacted",
  near: "Near the limit",
  fine: "Fine",
};

/** How deep the ring of each is drawn: the line is at 100. */
export const STATE_HULL: Readonly<Record<SessionState, number>> = { refused: 120, compacted: 100, near: 90, fine: 30 };
