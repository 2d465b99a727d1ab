"use client";
// A session's own spend, and apart from it what its inherited calls cost elsewhere.
import { beyondWords, costNotes, inheritedWords, spendWords, unpricedWords } from "#lib/kernel/load/cost-words.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Absent } from "./num.tsx";
import { SafeText } from "./safe-text.tsx";
import { Tip } from "./tip.tsx";

/** `≥ $7.98`; the rest on hover. */
export function CostFigure({ cost }: { cost: Cost }) {
  const own = spendWords(cost);
  if (own === null) return <Absent why={shownText(cost.atLeast.join(" ")) || "No model calls"} />;
  // A note names models, and a model's name is the file's word.
  const why = [...costNotes(cost), inheritedWords(cost), beyondWords(cost)].filter(Boolean).join(" ");
  return <span title={shownText(why)}>{own}</span>;
}

/** `≥ $34.22 + $103.57 inherited, 132 calls unpriced`, with the reasons one click away. */
export function CostLine({ cost }: { cost: Cost }) {
  const own = spendWords(cost);
  const inherited = inheritedWords(cost);
  const unpriced = unpricedWords(cost);
  if (own === null && inherited === null && unpriced === null)
    return <span title={shownText(cost.atLeast.join(" "))}>cost unknown</span>;
  const words = [[own, inherited, beyondWords(cost)].filter(Boolean).join(" "), unpriced].filter(Boolean).join(", ");
  return (
    <Tip
      text={
        <ul className="list-disc pl-3">
          {costNotes(cost).map((note) => (
            <li key={note}>
              <SafeText text={note} />
            </li>
          ))}
        </ul>
      }
    >
      <button type="button" className="text-12 whitespace-nowrap hover:underline" aria-label={`Cost: ${words}`}>
        {words}
      </button>
    </Tip>
  );
}
