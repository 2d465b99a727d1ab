// The agent's own summary beside ours, as a table.
import type { EvidenceScores, OwnComparison } from "#lib/wire/own-summary-schema.ts";
import { count, marked, table } from "./print.ts";

const SCORES: readonly (readonly [Exclude<keyof EvidenceScores, "needed">, string])[] = [
  ["entity", "Names needed later"],
  ["contexted", "Names, in their context"],
  ["fromOutputs", "Names from outputs"],
  ["filesModified", "Files changed"],
  ["userMessages", "User messages"],
  ["commands", "Commands"],
  ["errors", "Error lines"],
];

/** `own` must be there. */
export function ownTable({ own, ours, isSameCut }: OwnComparison): string {
  const share = (value: number | null | undefined): string => (value == null ? "–" : `${Math.round(value * 100)} %`);
  const rows = [
    ["Tokens", marked(own!.tokens, own!.origin), ours === null ? "–" : marked(ours.tokens, ours.origin)],
    ["Characters", count(own!.text.length), ours === null ? "–" : count(ours.text.length)],
    ...SCORES.map(([key, name]) => [name, share(own!.evidence?.[key]), share(ours?.evidence?.[key])]),
  ];
  const notes = [
    `The agent compacted at event ${count(own!.seq)}; ${count(own!.evidence?.needed ?? null)} names were needed after it.`,
    ...(isSameCut ? [] : [`This compaction is of another context: --at ${own!.at} compares the same one.`]),
    ...(ours === null ? ["Here is nothing to compact: keep fewer turns with --tail."] : []),
    ...(own!.evidence === null ? ["The log around it is too long to be judged."] : []),
  ];
  return `${table(["Kept", "agent", "here"], rows)}\n\n${notes.join("\n")}`;
}
