// Events of a context as messages. One model call is one message, whatever came between its blocks; without the number of
// a call, blocks that meet are one. Names and ids that a log leaves out, or writes as no provider takes them, are made up
// here, so that the repair behind it drops nothing that the model said.
import { isSentNote, type ImagePart, type StoredEvent } from "../event.ts";
import type { Message, ToolCall } from "./message.ts";

export type ContextMessage = Message & {
  readonly seqs: readonly number[];
  /** A result that a clearing took out: what stands in its place is no event's text. */
  readonly isCleared?: true;
};

export type EventTexts<E> = {
  readonly textOf: (event: E) => string;
  readonly imageUrl: (image: ImagePart, event: E) => string;
  readonly asSent: boolean;
};

type Event = Pick<StoredEvent, "seq" | "call" | "body" | "synthetic">;
type CallBody = Extract<Event["body"], { type: "tool_call" }>;

/** What stands in place of a result that was blanked, where the log does not say it. */
export const CLEARED = "[Old tool result content cleared]";
const HOSTED = "The provider ran this call itself; what it found is not in the log.";
/** A tool that failed without a word. */
const FAILED = "failed";

type Answer = {
  readonly texts: string[];
  readonly reasoning: string[];
  readonly images: string[];
  readonly calls: ToolCall[];
  readonly hosted: ToolCall[];
  readonly seqs: number[];
};

export function messagesOfEvents<E extends Event>(
  events: readonly E[],
  cleared: ReadonlyMap<number, string | null>,
  texts: EventTexts<E>,
): ContextMessage[] {
  const ids = new CallIds();
  const list: (ContextMessage | Answer)[] = [];
  const byCall = new Map<number, Answer>();
  let open: Answer | null = null;
  for (const event of events) {
    const { body, call, seq } = event;
    if (body.type === "assistant" || body.type === "reasoning" || body.type === "tool_call") {
      let answer: Answer | null | undefined = call === null ? open : byCall.get(call);
      if (answer === null || answer === undefined) {
        answer = { texts: [], reasoning: [], images: [], calls: [], hosted: [], seqs: [] };
        list.push(answer);
        if (call !== null) byCall.set(call, answer);
      }
      open = call === null ? answer : null;
      answer.seqs.push(seq);
      if (body.type === "assistant") {
        answer.texts.push(texts.textOf(event));
        answer.images.push(...imagesOf(event, texts));
      } else if (body.type === "reasoning") answer.reasoning.push(texts.textOf(event));
      else ask(answer, body, ids.called(body, seq));
      continue;
    }
    const message =
      body.type === "tool_result" ? resultMessage(event, cleared, texts, ids) : plainMessage(event, texts);
    if (message === null) continue;
    open = null;
    list.push(message);
  }
  return list.flatMap((one) => ("role" in one ? [one] : answerMessages(one, ids)));
}

function ask(answer: Answer, { toolName, namespace, custom, input, hosted, native }: CallBody, id: string): void {
  const own =
    namespace !== undefined && toolName.startsWith(`${namespace}.`) ? toolName.slice(namespace.length + 1) : "";
  const functionCallItem = custom
    ? { type: "custom_tool_call", input }
    : own !== "" && { namespace, name: nameOf(own) };
  const call: ToolCall = {
    id,
    name: nameOf(toolName),
    arguments: input ?? {},
    ...(functionCallItem && { nativeToolCallContext: { provider: "openai_responses", functionCallItem } }),
    ...(native !== undefined && { nativeToolCallContext: native }),
  };
  answer.calls.push(call);
  if (hosted === true) answer.hosted.push(call);
}

/** A name as every provider takes it: names of MCP tools have dots. */
const nameOf = (name: string): string =>
  name
    .trim()
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 64) || "unknown";

function answerMessages({ texts, reasoning, images, calls, hosted, seqs }: Answer, ids: CallIds): ContextMessage[] {
  const words = joined(texts);
  const thoughts = joined(reasoning);
  const message: ContextMessage = {
    role: "assistant",
    content: words === "" ? null : words,
    ...(thoughts !== "" && { reasoningContent: thoughts }),
    ...(images.length > 0 && { imageUrls: images }),
    toolPayload: calls.length === 0 ? null : { toolCalls: calls },
    seqs,
  };
  const unanswered = hosted.filter(({ id }) => !ids.isAnswered(id));
  return [message, ...unanswered.map((call): ContextMessage => ({ ...toolMessage(call, HOSTED, null), seqs: [] }))];
}

const joined = (texts: readonly string[]): string => texts.filter((one) => one !== "").join("\n\n");

const toolMessage = ({ id, name }: Pick<ToolCall, "id" | "name">, value: string | null, error: string | null) => ({
  role: "tool" as const,
  content: null,
  toolPayload: { toolCallId: id, toolName: name, toolResult: value, toolError: error },
});

function resultMessage<E extends Event>(
  event: E,
  cleared: ReadonlyMap<number, string | null>,
  texts: EventTexts<E>,
  ids: CallIds,
): ContextMessage | null {
  const { body, seq } = event;
  // A closing that an importer added: the repair makes the same, and says so.
  if (body.type !== "tool_result" || event.synthetic) return null;
  const call = ids.answered(body.toolCallId);
  if (cleared.has(seq)) {
    const message = toolMessage(call, cleared.get(seq) ?? CLEARED, null);
    if (texts.asSent) Object.assign(message.toolPayload, { asSent: true });
    return { ...message, seqs: [seq], isCleared: true };
  }
  const text = texts.textOf(event);
  const imageUrls = imagesOf(event, texts);
  const message = body.isError ? toolMessage(call, null, text === "" ? FAILED : text) : toolMessage(call, text, null);
  if (texts.asSent) Object.assign(message.toolPayload, { asSent: true, ...(body.blocks && { blocks: body.blocks }) });
  return { ...message, ...(imageUrls.length > 0 && { imageUrls }), seqs: [seq] };
}

function plainMessage<E extends Event>(event: E, texts: EventTexts<E>): ContextMessage | null {
  const { body, seq } = event;
  const isSummary = body.type === "compaction" && body.kind === "full";
  const isSent = body.type === "user" || isSummary || isSentNote(body);
  if (!isSent && body.type !== "system") return null;
  const content = texts.textOf(event);
  const imageUrls = imagesOf(event, texts);
  if (content === "" && imageUrls.length === 0) return null;
  const isSystem = body.type === "system" || (body.type === "meta" && body.rendered === "system");
  const role = isSystem ? "system" : "user";
  const isDeveloper = body.type === "system" && body.role === "developer";
  return {
    role,
    content,
    ...(imageUrls.length > 0 && { imageUrls }),
    ...(isDeveloper && { isDeveloper }),
    toolPayload: null,
    seqs: [seq],
  };
}

const imagesOf = <E extends Event>(event: E, { imageUrl }: EventTexts<E>): string[] =>
  "images" in event.body ? (event.body.images ?? []).map((image) => imageUrl(image, event)) : [];

/** Ids of calls. One that has none is named by its seq, and the first result without an id is its own. */
class CallIds {
  readonly #names = new Map<string, string>();
  readonly #answered = new Set<string>();
  readonly #nameless: string[] = [];

  called({ toolCallId, toolName }: CallBody, seq: number): string {
    const id = toolCallId === null || toolCallId === "" ? `call_of_event_${seq}` : toolCallId;
    if (id !== toolCallId) this.#nameless.push(id);
    this.#names.set(id, nameOf(toolName));
    return id;
  }

  /** The call of a result; without one, no id. */
  answered(toolCallId: string | null): Pick<ToolCall, "id" | "name"> {
    const id = toolCallId === null || toolCallId === "" ? (this.#nameless.shift() ?? "") : toolCallId;
    this.#answered.add(id);
    return { id, name: this.#names.get(id) ?? "" };
  }

  isAnswered(id: string): boolean {
    return this.#answered.has(id);
  }
}
