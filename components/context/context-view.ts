// The rows of the Context tab from its answer, and the sentences over them. Pure.
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { Category, Origin } from "#lib/wire/common-schema.ts";
import type { ContextAnswer, ContextForm, ContextMessage } from "#lib/wire/memory-schema.ts";
import { formatCount } from "../ui/format.ts";

export const FORM_NAMES: Record<ContextForm, string> = {
  sent: "As sent",
  "openai-chat": "OpenAI chat",
  "openai-responses": "Responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
  text: "Text",
};

export const CHANGES = ["all", "new", "left"] as const;
export type ChangeFilter = (typeof CHANGES)[number];

export type MessageRow = {
  /** Position among the messages, from 1; null for one that has left. */
  readonly at: number | null;
  readonly message: ContextMessage;
  readonly change: "new" | "same" | "left";
  /** Its index in the answer's `messages`, or in `left`. */
  readonly index: number;
};

/** What stands in the context and what has gone out of it, in the order of their first events. */
export function messageRows(answer: ContextAnswer, show: ChangeFilter): readonly MessageRow[] {
  const here = answer.messages.map((message, index): MessageRow => ({
    at: index + 1,
    index,
    message,
    change: message.change,
  }));
  const gone = answer.left.map((message, index): MessageRow => ({ at: null, index, message, change: "left" }));
  if (show === "new") return here.filter(({ change }) => change === "new");
  if (show === "left") return gone;
  return merged(here, gone);
}

/** A message that left stands before the first that came after it; the order of those that are here stays theirs. */
function merged(here: readonly MessageRow[], gone: readonly MessageRow[]): MessageRow[] {
  const rows: MessageRow[] = [];
  const left = gone.toSorted((a, b) => firstSeq(a) - firstSeq(b));
  let next = 0;
  for (const row of here) {
    const from = firstSeq(row);
    while (next < left.length && from !== Number.POSITIVE_INFINITY && firstSeq(left[next] as MessageRow) < from)
      rows.push(left[next++] as MessageRow);
    rows.push(row);
  }
  return [...rows, ...left.slice(next)];
}

const firstSeq = ({ message }: MessageRow): number => Math.min(...message.seqs, Number.POSITIVE_INFINITY);

export type Sum = { readonly count: number; readonly tokens: number; readonly origin: Origin };

export function sumOf(messages: readonly ContextMessage[]): Sum {
  const here = messages.filter(({ hasLeft }) => !hasLeft);
  return {
    count: messages.length,
    tokens: here.reduce((sum, { tokens }) => sum + tokens, 0),
    origin: leastKnown(here.map(({ origin }) => origin)),
  };
}

export type Hidden = { readonly prefix: number; readonly unattributed: number };

/**
 * What the provider counted over what the messages weigh, as the Load tab parts it: the hidden prefix, and what the log does
 * not explain (negative where something left). Null where nothing was reported.
 */
export function hiddenOf({ reported, tokens, prefix }: ContextAnswer): Hidden | null {
  if (reported === null) return null;
  return { prefix: prefix ?? reported - tokens, unattributed: prefix === null ? 0 : reported - tokens - prefix };
}

/** What had to be mended so that each tool call is followed by one result; empty when nothing. */
export function repairWords({
  moved,
  synthetic,
  duplicates,
  orphans,
  droppedCalls,
}: ContextAnswer["repair"]): string[] {
  return [
    synthetic > 0 && `${formatCount(synthetic, "result")} made for calls that have none`,
    moved > 0 && `${formatCount(moved, "result")} moved behind ${moved === 1 ? "its call" : "their calls"}`,
    duplicates > 0 && `${formatCount(duplicates, "result")} of a call that had one left out`,
    orphans > 0 && `${formatCount(orphans, "result")} without a call left out`,
    droppedCalls > 0 && `${formatCount(droppedCalls, "call")} that never ended left out`,
  ].filter((words) => words !== false);
}

/** What a request was sent for that is no call's. */
export function requestWords({ source, purpose }: NonNullable<ContextAnswer["request"]>): string {
  if (purpose === "compaction") return "sent for a compaction";
  if (purpose === "other") return `sent for ${source ?? "something else"}`;
  return "sent, without an answer in the file";
}

const CATEGORY: Record<ContextMessage["role"], Category> = {
  system: "prefix",
  user: "user",
  assistant: "assistant",
  tool: "result",
  tools: "prefix",
};

export const categoryOf = ({ role }: Pick<ContextMessage, "role">): Category => CATEGORY[role];
