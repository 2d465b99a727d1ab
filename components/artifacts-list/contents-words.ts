// What a search through contents came to, in words. Pure.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepManyEnd } from "#lib/wire/grep-many-schema.ts";
import { formatCount, formatDuration, formatTokens } from "../ui/format.ts";
import type { ContentsFound } from "./contents-search.ts";

/** One line: how far it is, or what it came to. */
export function stateWords({ artifacts, searched, matched, end, isRunning, found }: ContentsFound): string {
  const of = artifacts === null ? "" : ` of ${formatTokens(artifacts)}`;
  if (end === null || isRunning) {
    const matches = `${formatTokens(matched)} with matches`;
    return `${isRunning ? "" : "Stopped. "}${formatTokens(searched)}${of} artifacts searched, ${matches}`;
  }
  if (end.matched === 0) return `No match in ${formatCount(end.searched, "artifact")}`;
  const shown = found.length < end.matched - sameOf(found) ? `, the first ${formatTokens(found.length)} shown` : "";
  return `${formatCount(end.matches, "line")} in ${formatTokens(end.matched)}${of} artifacts${shown}`;
}

const sameOf = (found: ContentsFound["found"]): number => found.reduce((sum, { sameBytes }) => sum + sameBytes, 0);

/** What was not searched, and why; a sentence each. */
export function leftWords(end: GrepManyEnd): string[] {
  const { noText, gone, unreadable, leftOut, isWhole, deadlineMs } = end;
  const not = [
    noText > 0 && `${formatTokens(noText)} not text`,
    gone > 0 && `${formatTokens(gone)} deleted or expired`,
    unreadable > 0 && `${formatTokens(unreadable)} missing or damaged`,
  ].filter((one) => one !== false);
  return [
    ...(not.length > 0 ? [`Not searched: ${not.join(", ")}.`] : []),
    ...(leftOut > 0
      ? [
          `Only the first ${formatTokens(LIMITS.grepManyArtifacts)} are searched; ${formatTokens(leftOut)} are left out.`,
        ]
      : []),
    ...(isWhole ? [] : [`Stopped after ${formatDuration(deadlineMs)}: there may be more.`]),
  ];
}

/** Where a line of an artifact opens, with the pattern that found it. */
export function lineHref(pointer: string, line: number | null, pattern: string, words: readonly string[]): string {
  const query = new URLSearchParams({ panel: "grep", pattern });
  if (words.length > 0) query.set("grep", words.join(" "));
  if (line !== null) {
    query.set("view", "lines");
    query.set("line", String(line));
  }
  return `/artifacts/${encodeURIComponent(pointer)}?${query}`;
}
