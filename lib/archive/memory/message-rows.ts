// Messages of a context as rows: a few words, size and tokens, and the events that each was made of.
import type { ContextMessage as MessageOfEvents } from "#lib/kernel/context/event-messages.ts";
import { callsOf, resultOf, type Message } from "#lib/kernel/context/message.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { ContextMessage } from "#lib/wire/memory-schema.ts";
import { isSealed } from "./sealed-items.ts";
import { presentTokens, type ContextLog, type ContextRow } from "./context-rows.ts";

/** True for a result that a clearing blanked: its event still weighs what it weighed. */
export const isBlanked = (message: Message & Pick<MessageOfEvents, "isCleared">): boolean => message.isCleared === true;

const LABEL_CHARS = 120;

export function messageRow(
  message: Message,
  { rows }: Pick<ContextLog, "rows">,
  change: "new" | "same",
): ContextMessage {
  const result = resultOf(message);
  const seqs = [...(message.seqs ?? [])];
  const own = rowsOf(rows, seqs);
  const text = textOfMessage(message);
  const isMade = seqs.length === 0 || isBlanked(message);
  const sent = own.filter(({ isSent }) => isSent);
  const hasLeft = !isMade && sent.length > 0 && sent.every((row) => row.hasLeft);
  const tokens = isMade
    ? estimateTokens(Buffer.byteLength(text))
    : own.reduce((sum, row) => sum + (hasLeft ? row.tokens : presentTokens(row)), 0);
  return {
    role: message.role,
    seqs,
    label: labelOf(message, own),
    chars: text.length,
    tokens,
    origin: isMade ? "estimated" : leastKnown(sent.map(({ origin }) => origin)),
    textTokens: isMade ? null : own.reduce((sum, row) => sum + row.textTokens, 0),
    hasLeft,
    change,
    synthetic: result?.synthetic === true,
    ...sealedOf(own),
  };
}

/** What of a message only the provider can read, in bytes as they are sent, and how its weight is known. */
function sealedOf(rows: readonly ContextRow[]): Pick<ContextMessage, "sealed"> {
  const sealed = rows.filter(isSealed);
  if (sealed.length === 0) return {};
  return {
    sealed: {
      bytes: sealed.reduce((sum, { body }) => sum + (body.type === "reasoning" ? (body.signatureChars ?? 0) : 0), 0),
      tokens: sealed.reduce((sum, row) => sum + presentTokens(row), 0),
      origin: leastKnown(sealed.map(({ origin }) => origin)),
    },
  };
}

/** What messages come to, without those that left without a word. */
export function sumOfMessages(messages: readonly ContextMessage[]): Pick<ContextMessage, "tokens" | "origin"> {
  const here = messages.filter(({ hasLeft }) => !hasLeft);
  return {
    tokens: here.reduce((sum, { tokens }) => sum + tokens, 0),
    origin: here.length === 0 ? "estimated" : leastKnown(here.map(({ origin }) => origin)),
  };
}

const indexes = new WeakMap<readonly ContextRow[], Map<number, ContextRow>>();

function rowsOf(rows: readonly ContextRow[], seqs: readonly number[]): ContextRow[] {
  let index = indexes.get(rows);
  if (index === undefined) indexes.set(rows, (index = new Map(rows.map((row) => [row.seq, row]))));
  return seqs.flatMap((seq) => index.get(seq) ?? []);
}

/** All words of a message, as they weigh. */
export function textOfMessage(message: Message): string {
  const result = resultOf(message);
  const parts = [
    message.reasoningContent ?? "",
    message.content ?? "",
    ...callsOf(message).map(({ name, arguments: input }) => `${name} ${jsonText(input ?? null)}`),
    ...(result === null ? [] : [wordsOf(result.toolError ?? result.toolResult)]),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

const wordsOf = (value: unknown): string => (typeof value === "string" ? value : jsonText(value ?? null));

function labelOf(message: Message, rows: readonly ContextRow[]): string {
  const result = resultOf(message);
  if (rows.length === 0) return result === null ? "" : `${result.toolName}: ${wordsOf(result.toolError)}`;
  const words = (message.content ?? "").slice(0, LABEL_CHARS * 4);
  const calls = rows.filter(({ body }) => body.type === "tool_call").map(({ label }) => label);
  const parts = [words, ...calls].filter((part) => part.trim() !== "");
  const label = (result !== null || parts.length === 0 ? rows[0]!.label : parts.join(" · "))
    .replace(/\s+/g, " ")
    .trim();
  return label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS - 1)}…` : label;
}
