// The sections that are picked by what names weigh: decisions, evidence, and the index of what found no other place.
import { oneLine, withoutMark } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { placeOf } from "./put-sections.ts";
import { decisions, evidenceSnippets, type Picked, type Snippet } from "./snippets.ts";
import type { Covered, SectionName, SummaryDraft } from "./summary-draft.ts";

const DECISIONS = 0.06;
/**
 * Kept free for the index: of all names, and of those that only outputs have said. A tenth for these keeps 61 % of them where they
 * are needed later instead of 36 %, over 41 cuts, and costs 1.4 points of contexted recall.
 */
const NAMES = 0.03;
const OUTPUT_NAMES = 0.1;

export function putDecisions(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = Math.min(draft.left, draft.budget * DECISIONS) - draft.costOf("decisions", "");
  putSnippets(draft, "decisions", decisions(draft.pieces, draft.text(), names, covered, room, takes));
}

export function putEvidence(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = draft.left - draft.budget * (NAMES + OUTPUT_NAMES) - draft.costOf("evidence", "");
  putSnippets(draft, "evidence", evidenceSnippets(draft.pieces, names, covered, room, takes));
}

function lineOf({ text, piece, line }: Snippet): string {
  const tool = piece.kind === "tool_call" && piece.command === null && piece.toolName !== null;
  return `- ${tool ? `${oneLine(piece.toolName)}: ` : ""}${withoutMark(text)} ${placeOf(piece, line)}`;
}
const takes = (snippet: Snippet): number => lineOf(snippet).length + 1;

/** Snippets that stand next to each other in the log are one line: they share a reference. */
function putSnippets(draft: SummaryDraft, name: SectionName, { snippets, all }: Picked): void {
  const section = draft.section(name);
  section.all = all;
  for (let i = 0; i < snippets.length;) {
    const first = snippets[i++]!;
    let [text, next, count] = [first.text, first.next, 1];
    while (i < snippets.length && snippets[i]!.piece === first.piece && snippets[i]!.at === next) {
      text += ` ${snippets[i]!.text}`;
      next = snippets[i++]!.next;
      count++;
    }
    if (draft.put(name, lineOf({ ...first, text }), [first.piece.seq]) > 0) section.kept += count;
  }
}

export function putNames(draft: SummaryDraft, { found, weights, fromOutputs }: WeighedNames, covered: Covered): void {
  const section = draft.section("names");
  const rest = [...weights]
    .filter(([name]) => !covered.has(name))
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name]) => name);
  section.all = rest.length;
  const last = new Map<string, number>();
  for (const [i, names] of found.entries()) for (const { name } of names) last.set(name, draft.pieces[i]!.seq);
  const told = new Set<string>();
  const putLine = (mark: string, names: readonly string[], most: number): void => {
    const seqs = new Set<number>();
    let line = mark;
    for (const name of names) {
      if (told.has(name)) continue;
      if (draft.costOf("names", line) + name.length + 1 > Math.min(most, draft.left)) break;
      line += ` ${name}`;
      seqs.add(last.get(name)!);
      told.add(name);
    }
    const inOrder = [...seqs].toSorted((a, b) => a - b);
    if (seqs.size > 0) draft.put("names", line, inOrder);
  };
  const inOutputs = fromOutputs.filter((name) => !covered.has(name));
  putLine("- in outputs:", inOutputs, Math.max(draft.budget * OUTPUT_NAMES, draft.left - draft.budget * NAMES));
  putLine("-", rest, draft.left);
  section.kept = told.size;
}
