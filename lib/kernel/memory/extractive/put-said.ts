// The sections of the person: the goal, the limits, the messages. They are written before anything else, so that neither
// many messages nor a small budget loses them.
import { oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";
import { limitsOf, messagesOf, moreSaid, pickSaid, type Limit, type Said } from "./said.ts";
import { sentencesOf } from "./sentences.ts";
import type { SectionName, SummaryDraft } from "./summary-draft.ts";

/**
 * Shares of the budget: all messages together; what the goal's first sentence and each of the newest messages have for
 * certain; and the limits, which have a third of what was asked for also where a list of artifacts took some of it.
 */
const SHARE = { said: 0.35, goal: 0.3, newest: 0.05, limits: 0.4 } as const;
/** Of the newest messages at least this much, in the smallest budget (characters). */
const LEAST = 24;
/** Characters of a line beside its words and its reference: dash, brackets, spaces, break. */
const AROUND = 6;
/** Limits that share a line, where each on its own would not fit (characters). */
const GROUP = 400;

/** The budget from which on all of the goal's first sentence and all limits are there. */
export function leastBudget(messages: readonly Pick<Piece, "seq" | "text">[]): number {
  const [first] = messages;
  if (first === undefined) return 0;
  const limits = limitsOf(messages, Number.POSITIVE_INFINITY).reduce((sum, { text }) => sum + text.length, 0);
  const goal = oneLine(sentencesOf(first.text)[0]!.text).length;
  return Math.ceil(Math.max(goal / SHARE.goal, limits / SHARE.limits));
}

export function putSaid(draft: SummaryDraft, hasGoal: boolean): void {
  const messages = messagesOf(draft.pieces);
  if (messages.length === 0) return;
  const { budget } = draft;
  draft.section("goal").all = hasGoal ? 0 : 1;
  draft.expectLeftOut("said", messages.length - (hasGoal ? 0 : 1));
  const refs = messages.reduce((most, { seq }) => Math.max(most, draft.ref(seq).length), 0);
  const picked = pickSaid(messages, {
    chars: Math.floor(budget * SHARE.said) - "## Goal\n".length - draft.costOf("said", ""),
    goal: Math.floor(budget * SHARE.goal),
    newest: Math.max(LEAST, Math.floor(budget * SHARE.newest)),
    around: refs + AROUND - 2,
  })!;
  put(draft, hasGoal ? "said" : "goal", picked.goal);
  // The very newest first: where nothing more fits it is the last to go.
  for (const one of picked.newest.toReversed()) put(draft, "said", one);
  const room = Math.floor(budget * SHARE.limits);
  const limits = limitsOf(messages, room);
  const there = textOf([picked.goal, ...picked.newest]);
  const notThere = limits.filter(({ text }) => !there.includes(text));
  const withRest = there + textOf(picked.rest);
  const alsoNotInRest = notThere.filter(({ text }) => !withRest.includes(text));
  const sizeOfRest = picked.rest.reduce((sum, { text }) => sum + text.length + refs + AROUND, 0);
  const fits = sizeOfRest + sizeOf(alsoNotInRest, refs) + "## Constraints\n".length <= draft.left;
  putLimits(draft, fits ? alsoNotInRest : notThere, limits.length, room, refs);
  for (const one of picked.rest) put(draft, "said", one);
}

/** Once everything else is written: more messages, where the budget has room for them, and how many are still left out. */
export function finishSaid(draft: SummaryDraft, hasGoal: boolean): void {
  const messages = messagesOf(draft.pieces);
  if (messages.length === 0) return;
  for (const one of moreSaid(messages, saidIn(draft))) put(draft, "said", one);
  const result = saidIn(draft);
  const words = new Set(messages.filter(({ seq }) => result.has(seq)).map(({ text }) => oneLine(text)));
  draft.section("said").kept = messages.slice(hasGoal ? 0 : 1).filter(({ text }) => words.has(oneLine(text))).length;
  draft.countLeftOut("said");
  draft.inOrder("said");
}

/** Messages that stand there: on a line of their own, or as a limit. The same words twice are one line. */
function saidIn(draft: SummaryDraft): Set<number> {
  const limits = draft.section("limits").lines.map(({ text }) => text);
  return new Set([
    ...[...draft.section("goal").lines, ...draft.section("said").lines].flatMap(({ seqs }) => seqs),
    ...messagesOf(draft.pieces).flatMap(({ seq, text }) =>
      limits.some((line) => line.includes(oneLine(text))) ? [seq] : [],
    ),
  ]);
}

const textOf = (said: readonly { readonly text: string }[]): string => said.map(({ text }) => text).join("\n");
const sizeOf = (limits: readonly Limit[], refs: number): number =>
  limits.reduce((sum, { text }) => sum + text.length + refs + AROUND, 0);

function put(draft: SummaryDraft, name: SectionName, { seq, text }: Said): void {
  if (text === "") return;
  if (draft.put(name, `- ${text} ${draft.ref(seq)}`, [seq]) > 0 && name === "goal") draft.section(name).kept++;
}

/** The limits that stand nowhere else, within `room` characters of their own words. */
function putLimits(draft: SummaryDraft, limits: readonly Limit[], all: number, room: number, refs: number): void {
  draft.expectLeftOut("limits", all);
  const section = draft.section("limits");
  section.kept = all - limits.length;
  let left = room;
  const taken = limits.filter(({ text }) => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  });
  const lines =
    sizeOf(taken, refs) <= room ? taken.map((limit) => [limit]) : grouped(taken.toSorted((a, b) => a.seq - b.seq));
  const putLine = (line: readonly Limit[]): boolean => {
    const seqs = [...new Set(line.map(({ seq }) => seq))].toSorted((a, b) => a - b);
    const [first, last] = [draft.ref(seqs[0]!), draft.ref(seqs.at(-1)!)];
    const ref = first === last ? first : `${first.slice(0, -1)} to ${last.slice(1)}`;
    const isThere = draft.put("limits", `- ${line.map(({ text }) => text).join(" · ")} ${ref}`, seqs) > 0;
    if (isThere) section.kept += line.length;
    return isThere;
  };
  for (const line of lines) if (!putLine(line) && line.length > 1) for (const one of line) putLine([one]);
  draft.countLeftOut("limits");
  draft.inOrder("limits");
}

function grouped(limits: readonly Limit[]): Limit[][] {
  const lines: Limit[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const limit of limits) {
    if (size + limit.text.length > GROUP) {
      lines.push([]);
      size = 0;
    }
    lines.at(-1)!.push(limit);
    size += limit.text.length + 3;
  }
  return lines;
}
