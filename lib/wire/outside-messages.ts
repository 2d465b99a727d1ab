// What of a prompt no message holds: compacting, and carrying on, say the prompt of a session by it.
import { CATEGORIES, type Category } from "./common-schema.ts";
import type { LoadCall } from "./load-schema.ts";
import type { CompactAnswer } from "./memory-schema.ts";

/** System prompt and tools, and what nobody can name. It is not compacted. */
export type Hidden = { readonly prefix: number; readonly unattributed: number };

export const NOTHING_HIDDEN: Hidden = { prefix: 0, unattributed: 0 };

type Part = CompactAnswer["whole"][number];

/** A context by its last event, what its messages weigh, and its parts. */
export type Messages = {
  readonly at: number;
  readonly tokensBefore: number;
  readonly parts: readonly Pick<Part, "category" | "kind" | "tokens">[];
};

/**
 * What a call's reported prompt holds besides the messages; nothing where not reported. Where a call was sent just
 * this context the two sum to what it reported. Elsewhere, as at the end of a session, the call before says what there is
 * likely to be.
 */
export function outsideMessages(calls: readonly LoadCall[], { at, tokensBefore, parts }: Messages): Hidden {
  const sent = sentCall(calls, { at, tokensBefore });
  const call = sent ?? calls.findLast(({ seq }) => seq <= at) ?? calls[0];
  if (call === undefined || call.origin !== "reported") return NOTHING_HIDDEN;
  const of = (category: Category) => Math.max(0, call.stack[CATEGORIES.indexOf(category)] ?? 0);
  // A system message, or a list of skills, that the log does hold stands among the parts.
  const held = parts.filter((part) => categoryOf(part) === "prefix").reduce((sum, { tokens }) => sum + tokens, 0);
  const outside = Math.max(0, of("prefix") - held);
  if (sent === undefined) return { prefix: outside, unattributed: of("unattributed") };
  const rest = call.prompt - tokensBefore;
  const prefix = Math.min(outside, rest);
  return { prefix, unattributed: rest - prefix };
}

/** The call that was sent just this context: its answer begins with the next event. */
export const sentCall = (
  calls: readonly LoadCall[],
  { at, tokensBefore }: Pick<Messages, "at" | "tokensBefore">,
): LoadCall | undefined =>
  calls.find(({ seq, origin, prompt }) => seq === at + 1 && origin === "reported" && prompt >= tokensBefore);

const CATEGORY_OF: Record<string, Category> = {
  user: "user",
  assistant: "assistant",
  reasoning: "reasoning",
  tool_call: "call",
  tool_result: "result",
  tool: "result",
  system: "prefix",
  compaction: "memory",
  summary: "memory",
};

export const categoryOf = ({ category, kind }: Pick<Part, "category" | "kind">): Category =>
  category ?? CATEGORY_OF[kind] ?? "unattributed";
