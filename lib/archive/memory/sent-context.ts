// A request as it was sent, as the rows of the Context page: blocks of the system prompt, tools, messages, each with what its
// events weigh. A block is known by its text, its call or its result; reminders that share a block share its row.
import { estimateTokens } from "#lib/kernel/host.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { ContextMessage } from "#lib/wire/memory-schema.ts";
import type { SentRequestQuery } from "#lib/wire/sent-request-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { presentTokens, type ContextLog, type ContextRow } from "./context-rows.ts";
import { sentRequestOf } from "./sent-request.ts";

/** One row of a request: a block of the system prompt, all tools, or a message. */
export type SentMessage = {
  readonly role: ContextMessage["role"];
  readonly blocks: readonly Block[];
  readonly text: string;
  readonly isMarked: boolean;
  /** Equal for what was sent before too. */
  readonly key: string;
};

type Block = Readonly<Record<string, unknown>>;

export type SentContext = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly messages: readonly SentMessage[];
};

/** What was sent with a call or as a request, or why it cannot be said; null where the session's file holds no requests at all. */
export function sentContextOf(
  archive: Archive,
  sessionId: string,
  which: SentRequestQuery | null,
): SentContext | { readonly why: string } | null {
  if (which === null) return null;
  const { body, requestId, why } = sentRequestOf(archive, sessionId, which);
  // Captured requests of other providers are shown by their log, and whole by `plimsoll request`.
  if (body !== null && !Array.isArray(body["messages"])) return null;
  if (body !== null) return { body, messages: messagesIn(body) };
  return requestId === null ? null : { why: why ?? "" };
}

function messagesIn(body: Readonly<Record<string, unknown>>): SentMessage[] {
  const tools = listOf(body["tools"]);
  return [
    ...blocksOf(body["system"] ?? []).map((block) => rowOf("system", [block])),
    ...(tools.length === 0 ? [] : [rowOf("tools", tools)]),
    ...listOf(body["messages"]).map(({ role, content }) => rowOf(roleOf(role), blocksOf(content))),
  ];
}

const ROLES = ["system", "user", "assistant", "tool"] as const;
const roleOf = (role: unknown): SentMessage["role"] => ROLES.find((known) => known === role) ?? "user";

const listOf = (value: unknown): Block[] =>
  Array.isArray(value) ? value.filter((one): one is Block => typeof one === "object" && one !== null) : [];

const blocksOf = (content: unknown): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);

function rowOf(role: SentMessage["role"], marked: readonly Block[]): SentMessage {
  const blocks = marked.map(({ cache_control: _mark, ...block }) => block);
  const isMarked = marked.some((block) => block["cache_control"] !== undefined);
  return { role, blocks, isMarked, text: blocks.map(textOf).join("\n"), key: jsonText([role, blocks]) };
}

function textOf(block: Block): string {
  const { type, text, thinking, name, input, content } = block;
  if (typeof text === "string") return text;
  if (typeof thinking === "string") return thinking;
  if (type === "tool_use") return `${String(name)} ${jsonText(input ?? null)}`;
  if (type === "tool_result") return typeof content === "string" ? content : listOf(content).map(textOf).join("\n");
  if (type === "image") return "[image]";
  return jsonText(block);
}

/** Rows with their weights. `before`: what the call before was sent. */
export function sentRows(
  { messages }: SentContext,
  { log, texts }: { readonly log: ContextLog; readonly texts: ReadonlyMap<number, string> },
  before: readonly SentMessage[],
): ContextMessage[] {
  const events = new SentEvents(
    log.log.filter(({ isSent }) => isSent),
    texts,
  );
  const stood = new Set(before.map(({ key }) => key));
  return messages.map((message) => {
    const rows = message.blocks.flatMap((block) => events.of(message.role, block));
    const isKnown = rows.length > 0;
    return {
      role: message.role,
      seqs: rows.map(({ seq }) => seq).toSorted((a, b) => a - b),
      label: labelOf(message),
      chars: message.text.length,
      tokens: isKnown
        ? rows.reduce((sum, row) => sum + presentTokens(row), 0)
        : estimateTokens(Buffer.byteLength(message.text)),
      origin: isKnown ? leastKnown(rows.map(({ origin }) => origin)) : "estimated",
      textTokens: isKnown ? rows.reduce((sum, row) => sum + row.textTokens, 0) : null,
      hasLeft: false,
      change: stood.has(message.key) ? "same" : "new",
      synthetic: false,
      ...(message.isMarked && { isMarked: true }),
    };
  });
}

const LABEL_CHARS = 120;

function labelOf({ role, blocks, text }: SentMessage): string {
  const words = role === "tools" ? blocks.map(({ name }) => String(name)).join(", ") : text.slice(0, LABEL_CHARS * 4);
  const label = words.replace(/\s+/g, " ").trim();
  return label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS - 1)}…` : label;
}

/** The events of a log by what a request names them by; each is given out once, the newest of equal ones first. */
class SentEvents {
  readonly #byKey: Map<string, ContextRow[]>;
  readonly #reminders: Set<ContextRow>;
  readonly #texts: ReadonlyMap<number, string>;

  constructor(rows: readonly ContextRow[], texts: ReadonlyMap<number, string>) {
    this.#texts = texts;
    this.#byKey = Map.groupBy(rows, (row) => this.#keyOf(row));
    this.#reminders = new Set(rows.filter(({ body }) => "text" in body && isBeside(body)).toReversed());
  }

  of(role: SentMessage["role"], block: Block): ContextRow[] {
    const text = textOf(block);
    const key =
      role === "tools"
        ? `tool ${String(block["name"])}`
        : block["type"] === "tool_use"
          ? `call ${String(block["id"])}`
          : block["type"] === "tool_result"
            ? `result ${String(block["tool_use_id"])}`
            : `text ${text.trim()}`;
    const exact = this.#byKey.get(key)?.pop();
    if (exact !== undefined) {
      this.#reminders.delete(exact);
      return [exact];
    }
    const inside: ContextRow[] = [];
    for (const row of this.#reminders) {
      const words = this.#textOf(row).trim();
      if (words === "" || !text.includes(words) || inside.some((one) => this.#textOf(one).trim() === words)) continue;
      inside.push(row);
      this.#reminders.delete(row);
    }
    return inside;
  }

  #keyOf(row: ContextRow): string {
    const { body } = row;
    if (body.type === "tool_call") return `call ${body.toolCallId}`;
    if (body.type === "tool_result") return `result ${body.toolCallId}`;
    if (body.type === "meta" && body.sent === "tools") return `tool ${body.name}`;
    return `text ${this.#textOf(row).trim()}`;
  }

  #textOf({ seq, body }: ContextRow): string {
    return this.#texts.get(seq) ?? ("text" in body ? body.text : "");
  }
}

/** What a client puts beside the conversation, several in one block. */
const isBeside = (body: ContextRow["body"]): boolean =>
  (body.type === "meta" && body.rendered !== undefined && body.sent !== "tools") || body.type === "user";
