// The sections that are picked by what names weigh: decisions, evidence, and the index of what found no other section.
import { oneLine, withoutMark } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { namesWithin, outputIndex } from "./output-index.ts";
import { referenceOf } from "./put-sections.ts";
import { decisions, evidenceSnippets, type Cost, type Picked, type Snippet } from "./snippets.ts";
import type { Covered, SectionName, SummaryDraft } from "./summary-draft.ts";

const DECISIONS = 0.05;
/** Kept free for the index: of all names, and of those that only outputs have said (docs/evidence-metric.md has the numbers). */
const NAMES = 0.03;
const OUTPUT_NAMES = 0.2;

const IN_OUTPUTS = "- only in tool results:";

export function putDecisions(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = Math.min(draft.left, draft.budget * DECISIONS) - draft.costOf("decisions", "");
  putSnippets(draft, "decisions", decisions(draft.pieces, draft.text(), names, covered, room, costOf));
}

export function putEvidence(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = draft.left - draft.budget * (NAMES + OUTPUT_NAMES) - draft.costOf("evidence", "");
  putSnippets(draft, "evidence", evidenceSnippets(draft.pieces, names, covered, room, costOf));
}

const GAP = " … ";

/** Stretches of one piece are one line with one reference, which names the line of each where the output is kept. */
function lineOf(snippets: readonly Snippet[]): string {
  const [first] = snippets as [Snippet];
  const { piece } = first;
  const isTool = piece.kind === "tool_call" && piece.command === null && piece.toolName !== null;
  let words = "";
  const lines: number[] = [];
  for (const [i, { text, at, line }] of snippets.entries()) {
    const isNext = i > 0 && snippets[i - 1]!.next === at;
    words += `${i === 0 ? "" : isNext ? " " : GAP}${withoutMark(text)}`;
    if (!isNext) lines.push(line);
  }
  return `- ${isTool ? `${oneLine(piece.toolName)}: ` : ""}${words} ${referenceOf(piece, ...lines)}`;
}

const costOf = (snippet: Snippet): Cost => {
  const own = lineOf([snippet]).length + 1;
  const cost = lineOf([snippet, { ...snippet, at: -1 }]).length + 1 - own;
  return { cost, opening: own - cost };
};

function putSnippets(draft: SummaryDraft, name: SectionName, { snippets, all }: Picked): void {
  const section = draft.section(name);
  section.all = all;
  for (const own of Map.groupBy(snippets, ({ piece }) => piece.seq).values())
    if (draft.put(name, lineOf(own), [own[0]!.piece.seq]) > 0) section.kept += own.length;
}

export function putNames(draft: SummaryDraft, { found, weights, outputWeights }: WeighedNames, covered: Covered): void {
  const section = draft.section("names");
  const rest = [...weights]
    .filter(([name]) => !covered.has(name))
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name]) => name);
  section.all = rest.length;
  const last = new Map<string, number>();
  for (const [i, names] of found.entries()) for (const { name } of names) last.set(name, draft.pieces[i]!.seq);
  const put = (mark: string, names: readonly string[]): void => {
    const seqs = [...new Set(names.map((name) => last.get(name)!))].toSorted((a, b) => a - b);
    if (seqs.length > 0) draft.put("names", `${mark} ${names.join(" ")}`, seqs);
  };
  const room = Math.max(draft.budget * OUTPUT_NAMES, draft.left - draft.budget * NAMES);
  const names = outputIndex(
    outputWeights,
    draft.text(),
    Math.min(room, draft.left) - draft.costOf("names", IN_OUTPUTS),
  );
  put(IN_OUTPUTS, names);
  const result = new Set(names.flatMap(namesWithin));
  const others: string[] = [];
  let left = draft.left - draft.costOf("names", "-");
  for (const name of rest) {
    if (result.has(name)) continue;
    if (name.length + 1 > left) break;
    left -= name.length + 1;
    others.push(name);
    for (const inner of namesWithin(name)) result.add(inner);
  }
  put("-", others);
  section.kept = rest.filter((name) => result.has(name)).length;
}
