// A session from the spans of an application. Each model call repeats the conversation so far: what was not there before is new. A
// tool's result is what the model was sent of it; what its span says beyond that is the whole output.
import type { Draft } from "#lib/kernel/draft.ts";
import { clip } from "../json.ts";
import { jsonOf } from "./agent-drafts.ts";
import { callOf, eventOf, type EventOptions } from "./drafts.ts";
import type { PlacedRecord } from "./otlp-lines.ts";
import { textOf } from "./otlp-values.ts";
import { compactionBody } from "./span-compaction.ts";
import { CALL_NOTE, modelOf, NO_CALL, toolCallIdOf, toolNameOf, usageOf } from "./span-kinds.ts";
import { messagesOf, resultText, type Block, type Messages } from "./span-messages.ts";
import { SpanTree, type TreeSpan } from "./span-tree.ts";

export function spanDrafts(records: readonly PlacedRecord[], base: string): Draft[] {
  const tree = new SpanTree(records, base);
  const lanes = new Map<string, Lane>();
  const placed = tree.spans.filter(({ about }) => about !== null).map((span) => ({ span, lane: tree.laneOf(span) }));
  for (const { span, lane } of placed) laneIn(lanes, lane).prepare(span);
  const drafts: Draft[] = [...tree.subAgents.values()].flatMap(({ lane, parentLane, toolCallId, name }): Draft[] => [
    ...(toolCallId === null ? [] : [{ kind: "link", lane: parentLane, toolCallId, agentId: lane } as const]),
    { kind: "session", lane, patch: { relation: "subagent", agentName: name, parentToolCallId: toolCallId } },
  ]);
  for (const { span, lane } of placed) drafts.push(...laneIn(lanes, lane).draftsOf(span));
  return drafts;
}

function laneIn(lanes: Map<string, Lane>, name: string): Lane {
  const known = lanes.get(name) ?? new Lane(name);
  lanes.set(name, known);
  return known;
}

/** One agent's conversation. */
class Lane {
  readonly #name: string;
  /** Blocks that stand in the log, and how often. */
  readonly #told = new Map<string, number>();
  /** Results as a model was sent them, by call. */
  readonly #sent = new Map<string, string>();
  readonly #messages = new Map<TreeSpan, Messages>();
  /** What the call before was sent, and how often each block stood in it. Most calls are sent the same, and more. */
  #before: { readonly blocks: readonly Block[]; readonly here: Map<string, number> } | null = null;
  /** Compactions that no call came after yet, and what the call after each was sent. */
  readonly #compactions: TreeSpan[] = [];
  readonly #sentAfter = new Map<TreeSpan, readonly Block[]>();
  /** Record keys of the blocks that stand in the log. */
  readonly #keys = new Map<string, string[]>();
  #definitions: string | null = null;
  #hasWords = false;
  #isTitled = false;
  /** The model of the call before, which is the session's. */
  #model: string | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** Looks at all spans before the first is written: a result is known by what the next call was sent. */
  prepare(span: TreeSpan): void {
    if (span.about === "tool") return;
    if (span.about === "compaction") return void this.#compactions.push(span);
    const messages = messagesOf(span);
    this.#messages.set(span, messages);
    if (span.about === "model" && messages.input.length + messages.output.length > 0) this.#hasWords = true;
    if (span.about === "model")
      for (const compaction of this.#compactions.splice(0)) this.#sentAfter.set(compaction, messages.input);
    for (const { kind, id, text } of messages.input)
      if (kind === "result" && id !== null && !this.#sent.has(id)) this.#sent.set(id, text);
  }

  draftsOf(span: TreeSpan): Draft[] {
    if (span.about === "tool") return this.#tool(span);
    if (span.about === "compaction") return this.#compaction(span);
    const messages = this.#messages.get(span)!;
    if (span.about === "model") return this.#modelCall(span, messages);
    // An agent's own messages are those of its calls, where these have any.
    return this.#hasWords ? [] : [...this.#blocks(span, messages.input), ...this.#blocks(span, messages.output)];
  }

  #modelCall(span: TreeSpan, { input, output }: Messages): Draft[] {
    const key =
      span.kind === "span" ? `${span.traceId}/${span.spanId}` : (textOf(span.attributes, "gen_ai.response.id") ?? "");
    const usage = usageOf(span.attributes);
    const before = [...this.#tools(span), ...this.#blocks(span, input, span.startMs)];
    const note = textOf(span.attributes, CALL_NOTE) ?? "";
    const noted = { type: "meta", subtype: "model call", text: note } as const;
    if (span.attributes.get(NO_CALL) === true) {
      const said = this.#answer(span, output, null);
      return [...before, ...said, ...(note === "" ? [] : [eventOf(span, this.#name, noted)])];
    }
    // A log record of a request, before its answer came, is no call.
    if (usage === null && output.length === 0 && span.kind === "log") return before;
    const answer = this.#answer(span, output, key);
    const failed =
      span.failure === null
        ? []
        : [eventOf(span, this.#name, { type: "error", text: span.failure || "The model call failed." })];
    const shown = answer.length + failed.length > 0 ? answer : [eventOf(span, this.#name, noted, { callKey: key })];
    const model = modelOf(span.attributes);
    const call = callOf(span, this.#name, { key, model, usage });
    return [...before, ...this.#patch(model), call, ...shown, ...failed];
  }

  /** What the call behind it is sent again stays; the rest is gone. */
  #compaction(span: TreeSpan): Draft[] {
    const after = this.#sentAfter.get(span) ?? [];
    const preserved = after.flatMap((block) => this.#keys.get(digestOf(block)) ?? []);
    const cleared = after.flatMap(({ kind, id, text }) =>
      kind === "result" && id !== null && (this.#sent.get(id) ?? text) !== text ? [id] : [],
    );
    return [eventOf(span, this.#name, compactionBody(span.attributes, { preserved, cleared }))];
  }

  #patch(model: string | null): Draft[] {
    if (model === null || model === this.#model) return [];
    this.#model = model;
    return [{ kind: "session", lane: this.#name, patch: { model } }];
  }

  /** The definitions of its tools: they stand before the conversation. */
  #tools(span: TreeSpan): Draft[] {
    const text = textOf(span.attributes, "gen_ai.tool.definitions", "llm.tools.0.tool.json_schema", "ai.prompt.tools");
    if (text === null || this.#definitions === text) return [];
    this.#definitions = text;
    const body = { type: "meta", subtype: "tools", text, sent: "tools" } as const;
    return [eventOf(span, this.#name, body, { ts: span.startMs })];
  }

  /** What was sent: of what the call before was sent too, nothing is looked at again. */
  #blocks(span: TreeSpan, blocks: readonly Block[], ts = span.endMs ?? span.startMs): Draft[] {
    const before = this.#before;
    const isLonger = before !== null && before.blocks.every((block, i) => block === blocks[i]);
    const here = isLonger ? before.here : new Map<string, number>();
    this.#before = { blocks, here };
    return this.#untold(span, blocks, isLonger ? before.blocks.length : 0, here, { callKey: null, ts, part: "in" });
  }

  #answer(span: TreeSpan, blocks: readonly Block[], callKey: string | null): Draft[] {
    return this.#untold(span, blocks, 0, new Map(), { callKey, ts: span.endMs ?? span.startMs, part: "out" });
  }

  /** Those of the blocks from a number on that do not stand in the log; `here` counts the blocks of this list. */
  #untold(
    span: TreeSpan,
    blocks: readonly Block[],
    from: number,
    here: Map<string, number>,
    options: EventOptions,
  ): Draft[] {
    return blocks.slice(from).flatMap((block, at) => {
      const key = digestOf(block);
      const count = (here.get(key) ?? 0) + 1;
      here.set(key, count);
      if (count <= (this.#told.get(key) ?? 0)) return [];
      this.#told.set(key, count);
      const drafts = this.#event(span, block, { ...options, part: `${options.part ?? ""}${from + at}` });
      const keys = drafts.flatMap((draft) => (draft.kind === "event" ? (draft.recordKey ?? []) : []));
      this.#keys.set(key, [...(this.#keys.get(key) ?? []), ...keys]);
      return drafts;
    });
  }

  #event(
    span: TreeSpan,
    { role, kind, text, id, name, input, isError = false }: Block,
    options: EventOptions,
  ): Draft[] {
    const at = this.#name;
    if (kind === "call")
      return [eventOf(span, at, { type: "tool_call", toolCallId: id, toolName: name, input }, options)];
    if (kind === "result")
      return [eventOf(span, at, { type: "tool_result", toolCallId: id, text, isError, saw: "full" }, options)];
    if (kind === "reasoning") return [eventOf(span, at, { type: "reasoning", text }, options)];
    if (role === "system") return [eventOf(span, at, { type: "system", subtype: "instructions", text }, options)];
    if (role === "assistant") return [eventOf(span, at, { type: "assistant", text }, options)];
    return [...this.#title(text), eventOf(span, at, { type: "user", text }, { ...options, startsTurn: true })];
  }

  #title(text: string): Draft[] {
    if (this.#isTitled) return [];
    this.#isTitled = true;
    return [{ kind: "session", lane: this.#name, patch: { title: clip(text, 300), titleRank: 0 } }];
  }

  #tool(span: TreeSpan): Draft[] {
    const { attributes, startMs, endMs } = span;
    const id = toolCallIdOf(attributes) ?? `span-${span.spanId}`;
    const whole = wholeResult(span);
    const text = this.#sent.get(id) ?? whole ?? span.failure ?? "";
    const given = textOf(
      attributes,
      "gen_ai.tool.call.arguments",
      "ai.toolCall.args",
      "tool.parameters",
      "tool_call.function.arguments",
      "input.value",
      "traceloop.entity.input",
    );
    const drafts: Draft[] = [];
    const isNew = (kind: "call" | "result"): boolean => {
      const key = `${kind} ${id}`;
      const isTold = this.#told.has(key);
      this.#told.set(key, 1);
      return !isTold;
    };
    if (isNew("call"))
      drafts.push(
        eventOf(
          span,
          this.#name,
          { type: "tool_call", toolCallId: id, toolName: toolNameOf(span), input: jsonOf(given) },
          { ts: startMs },
        ),
      );
    if (!isNew("result")) return drafts;
    const detail =
      startMs !== null && endMs !== null && endMs >= startMs ? { detail: { durationMs: endMs - startMs } } : {};
    const isShort = whole !== null && whole.length > text.length;
    const body = {
      type: "tool_result",
      toolCallId: id,
      text,
      isError: span.failure !== null,
      saw: isShort ? "preview" : "full",
      ...detail,
    } as const;
    return [...drafts, eventOf(span, this.#name, body, isShort ? { fullText: whole } : {})];
  }
}

function wholeResult({ attributes }: TreeSpan): string | null {
  for (const name of ["gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output"]) {
    const value = attributes.get(name);
    // The AI SDK writes the JSON of what a tool returned: a text in its quotes.
    if (value !== undefined && value !== null)
      return typeof value === "string" && value.startsWith('"') ? resultText(jsonOf(value)) : resultText(value);
  }
  return null;
}

/** What makes two blocks the same: the id of a call, else role and words. */
const digestOf = ({ kind, id, role, text, name, input }: Block): string =>
  (kind === "call" || kind === "result") && id !== null
    ? `${kind} ${id}`
    : JSON.stringify([kind, role, text, name, input]);
