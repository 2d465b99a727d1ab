// The sections that are picked by what names weigh: decisions, evidence, and the index of what found no other place.
import { oneLine, withoutMark } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { placeOf } from "./put-sections.ts";
import { decisions, evidenceSnippets, type Picked, type Snippet } from "./snippets.ts";
import type { Covered, SectionName, SummaryDraft } from "./summary-draft.ts";

const DECISIONS = 0.06;
/** Kept free for the index. */
const NAMES = 0.03;

export function putDecisions(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = Math.min(draft.left, draft.budget * DECISIONS) - draft.costOf("decisions", "");
  putSnippets(draft, "decisions", decisions(draft.pieces, draft.text(), names, covered, room, takes));
}

export function putEvidence(draft: SummaryDraft, names: WeighedNames, covered: Covered): void {
  const room = draft.left - draft.budget * NAMES - draft.costOf("evidence", "");
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

export function putNames(draft: SummaryDraft, { found, weights }: WeighedNames, covered: Covered): void {
  const section = draft.section("names");
  const rest = [...weights]
    .filter(([name]) => !covered.has(name))
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  section.all = rest.length;
  const last = new Map<string, number>();
  for (const [i, names] of found.entries()) for (const { name } of names) last.set(name, draft.pieces[i]!.seq);
  const seqs = new Set<number>();
  let line = "-";
  for (const [name] of rest) {
    if (draft.costOf("names", line) + name.length + 1 > draft.left) break;
    line += ` ${name}`;
    seqs.add(last.get(name)!);
    section.kept++;
  }
  if (section.kept === 0) return;
  draft.put(
    "names",
    line,
    [...seqs].toSorted((a, b) => a - b),
  );
}
