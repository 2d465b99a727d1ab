// The value of a line of a result, and the lines of an artifact that hold it.
import { queryOptions } from "@tanstack/react-query";
import { grepPiece, type GrepPiece } from "#lib/wire/playground-schema.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reach } from "../ui/api.ts";
import { jsonTokens } from "./json-tokens.ts";
import { piecesOf } from "../shared/ndjson.ts";
import type { Output } from "./jq-output-view.ts";

/** A pattern has 1,024 characters at most; the beginning of a long value finds it as well. */
const VALUE_CHARS = 400;
/** Lines with the value that are compared. */
const LINES = 500;
/** Characters of a line that stand before the value, when it is far out. */
const BEFORE_CHARS = 60;

/** The longest scalar of a line, as it is written; null when it holds none that would tell a position. */
export function valueOf(line: string): string | null {
  const scalars = jsonTokens(line)
    .filter(({ kind, text }) => kind === "number" || (kind === "string" && text.length > 2))
    .map(({ text }) => text);
  const longest = scalars.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : longest.slice(0, VALUE_CHARS);
}

/** Lines of a result that are looked at for the rest of a value. */
const VALUE_LINES = 200;

/** Every scalar of the value that a line of a result is part of: what jq lays out begins and ends without a space. */
export function scalarsAround(output: Pick<Output, "lineAt">, line: number): string[] {
  const textAt = (at: number): string => output.lineAt(at).text;
  const isInside = (at: number): boolean => /^[ \t]/.test(textAt(at));
  let from = line;
  while (from > 0 && line - from < VALUE_LINES && (isInside(from) || /^[\]}]/.test(textAt(from)))) from -= 1;
  const scalars = new Set<string>();
  for (let at = from; at < from + VALUE_LINES && (at === from || isInside(at)); at += 1)
    for (const { kind, text } of jsonTokens(textAt(at))) if (kind === "string" || kind === "number") scalars.add(text);
  return [...scalars];
}

/** The lines that hold most of the others as well come first. */
export function byOthers<Line extends { readonly text: string }>(
  lines: readonly Line[],
  others: readonly string[],
): { readonly line: Line; readonly held: number }[] {
  return lines
    .map((line) => ({ line, held: others.filter((text) => line.text.includes(text)).length }))
    .toSorted((a, b) => b.held - a.held);
}

type Found = {
  readonly matches: number;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
};

/** By fixed text: what stands there was written by strangers. */
export const positionsQuery = (artifact: { readonly pointer: string; readonly digest: string }, value: string) =>
  queryOptions({
    queryKey: ["playground", "positions", artifact.digest, value],
    queryFn: async ({ signal }): Promise<Found> => {
      const response = await reach("/api/playground/grep", {
        method: "POST",
        headers: { "content-type": "application/json" },
        // A number is one by itself, no part of a longer one; a string brings its quotes.
        body: JSON.stringify({
          artifact: artifact.pointer,
          pattern: value,
          options: value.startsWith('"') ? ["-F"] : ["-F", "-w"],
          lines: LINES,
        }),
        signal,
      });
      const lines: Found["lines"][number][] = [];
      let end: Extract<GrepPiece, { type: "end" }> | null = null;
      if (response.body)
        for await (const piece of piecesOf(response.body, grepPiece)) {
          if (piece.type === "end") end = piece;
          else lines.push(...piece.lines);
        }
      if (end === null) fail("invalid", "The search was interrupted.");
      if (end.failure !== null) fail("invalid", end.failure.message);
      return { matches: end.matches, lines };
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type Part = { readonly text: string; readonly isHit: boolean };

/** A line around the value, with the value marked. */
export function marked(line: string, value: string): Part[] {
  const at = line.indexOf(value);
  if (at < 0) return [{ text: line, isHit: false }];
  const from = at > 2 * BEFORE_CHARS ? at - BEFORE_CHARS : 0;
  return [
    { text: `${from > 0 ? "…" : ""}${line.slice(from, at)}`, isHit: false },
    { text: value, isHit: true },
    { text: line.slice(at + value.length, at + value.length + VALUE_CHARS), isHit: false },
  ].filter(({ text }) => text !== "");
}
