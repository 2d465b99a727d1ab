// A summary that a person edited: lines taken out, changed, added, in another order. What the summarizer wrote is made anew and
// compared with it, so that who wrote a line is found, not claimed.
import { fail } from "#lib/kernel/errors.ts";
import type { SummarizedFact } from "#lib/kernel/memory/memory-types.ts";
import type { CompactAnswer, CompactRequest } from "#lib/wire/memory-schema.ts";

type Line = CompactAnswer["lines"][number];
type Said = { readonly lines: readonly Line[]; readonly facts: readonly SummarizedFact[] };

/**
 * The lines as they were edited, those of a person marked, and the facts that still hold: one that the summary said, and says no
 * more, goes with its line. `cut`: events that lines may name. Fails with `invalid`.
 */
export function editedSummary(
  { lines, facts }: Said,
  edited: NonNullable<CompactRequest["lines"]>,
  cut: ReadonlySet<number>,
): { readonly lines: Line[]; readonly facts: SummarizedFact[] } {
  if (edited.every(({ text }) => text.trim() === ""))
    fail("invalid", "The edited summary is empty. Keep at least one line, or omit the lines.");
  const stray = edited.flatMap(({ seqs }) => seqs).find((seq) => !cut.has(seq));
  if (stray !== undefined)
    fail(
      "invalid",
      `A line of the edited summary names event ${stray}, which stays in the context. Name only events that are cut.`,
    );
  const written = new Set(lines.map(keyOf));
  const before = textOf(lines);
  const after = textOf(edited);
  return {
    lines: edited.map(({ text, seqs }) =>
      written.has(keyOf({ text, seqs })) ? { text, seqs } : { text, seqs, by: "person" },
    ),
    facts: facts.filter(({ fact }) => after.includes(fact) || !before.includes(fact)),
  };
}

const keyOf = ({ text, seqs }: Line): string => JSON.stringify([text, seqs]);
const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");
