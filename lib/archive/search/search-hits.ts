// What a result shows: the session, the match, and the text around what was found.
import { openMarker } from "#db/search-database.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { occurrencesOf } from "#lib/kernel/log/occurrences.ts";
import { quoted, type MatchExpression } from "#lib/kernel/search/match-expression.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { wordsOfQuery, type SearchQuery, type SearchTerm } from "#lib/kernel/search/search-query.ts";
import { partsOf } from "#lib/kernel/search/split-identifiers.ts";
import { hasUnspaced } from "#lib/kernel/search/unspaced.ts";
import type { SearchHit } from "#lib/wire/search-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { labelOf } from "../import/format-label.ts";
import { IS_ERROR, textOfWords } from "./fill-index.ts";
import type { Match } from "./find-matches.ts";
import { matchText, type MatchText } from "./match-text.ts";
import { compilePattern } from "./scan-matches.ts";
import type { SearchedSession } from "./searched-sessions.ts";

export type ShownSession = Pick<
  SearchedSession,
  "id" | "title" | "format" | "agent_name" | "model" | "cwd" | "started_at"
>;

export type Shown = {
  readonly parsed: SearchQuery;
  readonly expression: MatchExpression;
  readonly sessions: ReadonlyMap<number, ShownSession>;
  readonly tools: ReadonlyMap<string, number>;
  readonly regexes: readonly SearchTerm[];
};

export const hitsOf = (archive: Archive, matches: readonly Match[], shown: Shown): Promise<SearchHit[]> =>
  shownHits(matches, shown, (match) => matchText(archive, match));

/** `read`: the text of a match; null where it was deleted since. */
export async function shownHits(
  matches: readonly Match[],
  shown: Shown,
  read: (match: Match) => Promise<MatchText | null>,
): Promise<SearchHit[]> {
  const toolNames = new Map([...shown.tools].map(([name, key]) => [key, name]));
  const mark = markerOf(shown);
  const hits: SearchHit[] = [];
  try {
    for (const match of matches) {
      const session = shown.sessions.get(match.session);
      const found = session === undefined ? null : await read(match);
      if (session === undefined || found === null) continue;
      const { snippet, at } = mark.snippet(found.text);
      const kind = SEARCH_KINDS[match.kind]!;
      hits.push({
        session: {
          ...{
            id: session.id,
            title: session.title,
            format: session.format,
            agent: session.agent_name ?? labelOf(session.format),
            model: session.model,
          },
          project: session.cwd,
          startedAt: iso(session.started_at),
        },
        kind,
        seq: kind === "memory" ? null : match.seq,
        tool: toolNames.get(match.tool) ?? null,
        at: iso(match.ts),
        tokens: match.tokens,
        isError: (match.flags & IS_ERROR) !== 0,
        artifact: found.artifact,
        line: found.artifact === null ? null : found.startLine + breaksBefore(found.text, at),
        snippet,
      });
    }
  } finally {
    mark.close();
  }
  return hits;
}

/** Characters around a hit, before it and in all. */
const BEFORE = 70;
const AROUND = 260;

type Marked = { readonly snippet: string; readonly at: number };

/** Marks with the index's own tokenizer; where the words are parts of names, by their letters. */
function markerOf({ parsed, expression, regexes }: Shown): { snippet(text: string): Marked; close(): void } {
  const marker = openMarker();
  const insert = marker.prepare("INSERT INTO words (rowid, text) VALUES (1, ?)");
  const clear = marker.prepare("DELETE FROM words");
  const highlight = marker
    .prepare("SELECT highlight(words, 0, char(2), char(3)) FROM words WHERE words MATCH ?")
    .pluck();
  const patterns = regexes.filter(({ not }) => !not).map(compilePattern);
  const marks = marksOf(parsed);
  const words = wordsOfQuery(parsed).flatMap((word) => [word, ...partsOf(word)]);
  const spansOf = (text: string): Span[] => {
    const spans: Span[] = [];
    for (const pattern of patterns) {
      const matcher = pattern.matcher(text);
      for (let n = 0; n < MOST_SPANS && matcher.find(); n++) spans.push([matcher.start(), matcher.end()]);
    }
    if (expression.match !== null) {
      clear.run();
      insert.run(textOfWords(text));
      for (const { match, isMeant } of marks) {
        const marked = highlight.get(match) as string | undefined;
        // Long runs are cut in the index, which moves what stands behind them.
        if (marked !== undefined && marked.length - countMarks(marked) === text.length)
          spans.push(...spansIn(marked, isMeant));
      }
    }
    // The marker knows no word within a run of words.
    if (spans.length === 0 || hasUnspaced(text)) spans.push(...spansOfWords(text, words));
    return spans.sort(([a], [b]) => a - b);
  };
  return {
    snippet: (text) => {
      const clean = text.replaceAll(/[\u0002\u0003]/g, " ");
      const spans = spansOf(clean);
      return excerpt(clean, spans);
    },
    close: () => marker.close(),
  };
}

type Span = readonly [from: number, to: number];
const MOST_SPANS = 50;

type Mark = { readonly match: string; isMeant(text: string): boolean };

/** Any of the words: a result has all of them, some in another column. A beginning is of the word as it stands, not of its stem. */
function marksOf({ terms }: SearchQuery): Mark[] {
  const wanted = terms.filter(({ not, kind }) => !not && kind !== "regex");
  const whole = wanted.filter(({ kind }) => kind !== "prefix").map(({ text }) => quoted(text));
  return [
    ...(whole.length > 0 ? [{ match: whole.join(" OR "), isMeant: () => true }] : []),
    ...wanted
      .filter(({ kind }) => kind === "prefix")
      .map(({ text }) => ({
        match: `${quoted(text)}*`,
        isMeant: (found: string) => folded(found).startsWith(folded(text)),
      })),
  ];
}

const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase();

const countMarks = (text: string): number => text.match(/[\u0002\u0003]/g)?.length ?? 0;

function spansIn(marked: string, isMeant: Mark["isMeant"]): Span[] {
  const spans: Span[] = [];
  let removed = 0;
  for (const found of marked.matchAll(/\u0002([^\u0003]*)\u0003/g)) {
    const from = found.index - removed;
    removed += 2;
    if (!isMeant(found[1]!)) continue;
    spans.push([from, from + found[1]!.length]);
    if (spans.length >= MOST_SPANS) break;
  }
  return spans;
}

const spansOfWords = (text: string, words: readonly string[]): Span[] =>
  words.flatMap((word) => occurrencesOf(text, word, MOST_SPANS).map(({ from, to }): Span => [from, to]));

/** The window that begins shortly before the first hit, where the most different hits stand; secrets are masked, unmarked. */
function excerpt(text: string, spans: readonly Span[]): Marked {
  const at = bestStart(spans);
  const from = Math.max(0, at - BEFORE);
  const to = Math.min(text.length, from + AROUND);
  const plain = text.slice(from, to);
  const masked = redactText(plain).text;
  const inside = masked === plain ? spans.filter(([a, b]) => a >= from && b <= to) : [];
  let marked = "";
  let end = from;
  for (const [a, b] of inside) {
    if (a < end) continue;
    marked += `${text.slice(end, a)}\u0002${text.slice(a, b)}\u0003`;
    end = b;
  }
  const whole = masked === plain ? marked + text.slice(end, to) : masked;
  const body = whole.replaceAll(/\s+/g, " ").trim().toWellFormed();
  return { snippet: `${from > 0 ? "…" : ""}${body}${to < text.length ? "…" : ""}`, at };
}

function bestStart(spans: readonly Span[]): number {
  let best = spans[0]?.[0] ?? 0;
  let most = 0;
  for (const [i, [from]] of spans.entries()) {
    const inside = spans.slice(i, i + 20).filter(([, to]) => to <= from + AROUND - BEFORE).length;
    if (inside > most) [best, most] = [from, inside];
  }
  return best;
}

function breaksBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
