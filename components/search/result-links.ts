// Where a result opens, and its words. Pure.
import type { SearchHit } from "#lib/wire/search-schema.ts";

/** The event with what was found marked in it, the line of the stored output, or the session's memory. */
export function hitHref({ session, seq, artifact, line, snippet }: SearchHit): string {
  if (artifact !== null && line !== null)
    return `/artifacts/${encodeURIComponent(artifact)}?${new URLSearchParams({ view: "lines", line: String(line) })}`;
  if (seq === null) return `/sessions/${session.id}?tab=memory`;
  const words = markedWords(snippet);
  return `/sessions/${session.id}?${new URLSearchParams({ event: String(seq), ...(words !== "" && { find: words }) })}`;
}

const MOST_WORDS = 8;

/** Words as they stand in the text: a stem would not be found there. */
export function markedWords(snippet: string): string {
  const found = [...snippet.matchAll(/\u0002([^\u0003]+)\u0003/g)].map(([, word]) => word!.trim());
  const distinct = new Map(found.map((word) => [word.toLowerCase(), word]));
  return [...distinct.values()].slice(0, MOST_WORDS).join(" ");
}

export const kindLabel = (kind: string): string => kind.replaceAll("_", " ");
