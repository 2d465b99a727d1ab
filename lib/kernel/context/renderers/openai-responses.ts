// Input items of a Responses request. What the service sent with a call (reasoning with encrypted content, the call's own
// item) is replayed as it was, once and in order, with the final arguments; an id is never made up, it would be refused.
import { jsonText } from "../../json-text.ts";
import { imageAddress, unreadable, type Media } from "./media.ts";
import type { Notes } from "./renderer-notes.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { callPart, mediaPart, nativePart, resultPart, textParts } from "./parts.ts";
import { inOrder, type Answer, type Call, type Result, type Said, type Step } from "./message-steps.ts";
import type { ReplayedItem, ResponsesCall, ResponsesItem, ResponsesPart } from "./provider-requests.ts";
import type { Rendered, RenderedRow, Renderer } from "./renderer-types.ts";
import { copyOf, isObject, type JsonObject } from "./values.ts";

export const openaiResponses: Renderer<"openai-responses"> = {
  id: "openai-responses",
  label: "OpenAI Responses",
  ids: { characters: null, maxLength: 64, unique: true },
  render(steps: readonly Step[], options: RenderOptions, notes: Notes): Rendered<"openai-responses"> {
    const rows = steps.flatMap((step) => (step.kind === "said" ? said(step, notes) : answer(step, options, notes)));
    return { request: { input: rows.map(({ value }) => value) }, rows };
  },
};

type ItemRow = RenderedRow<ResponsesItem>;

const REASONING = "Only items that the service itself sent can be sent back.";

function said(step: Said, notes: Notes): ItemRow[] {
  const { role, isDeveloper, text, media, hasMedia, reasoning, seqs } = step;
  if (step.items.length > 0) return saidItems(step);
  if (reasoning !== "") notes.leaveOut("reasoning", REASONING);
  if (role === "user" && hasMedia) {
    const content = [...textContent(text), ...media.flatMap((one) => mediaContent(one, notes))];
    if (content.length === 0) return [];
    const parts = [...textParts(text), ...media.map(mediaPart)];
    return [{ role, value: { type: "message", role, content }, parts, seqs }];
  }
  for (const one of media) notes.leaveOut(one.kind, `Responses takes none from the ${role}.`);
  return messageRow(isDeveloper ? "developer" : role, text, seqs);
}

/** An answer without calls as the service sent it. Reasoning that leads to nothing is refused. */
function saidItems({ items, seqs }: Said): ItemRow[] {
  const last = items.findLastIndex((item) => !isReasoning(item));
  return items
    .slice(0, last + 1)
    .map((item) => ({ role: "assistant", value: asSent(item), parts: [nativePart(item)], seqs }));
}

const messageRow = (role: Said["role"] | "developer", text: string, seqs: readonly number[]): ItemRow[] =>
  text === "" ? [] : [{ role, value: { type: "message", role, content: text }, parts: textParts(text), seqs }];

const textContent = (text: string): ResponsesPart[] => (text === "" ? [] : [{ type: "input_text", text }]);

function mediaContent(media: Media, notes: Notes): ResponsesPart[] {
  if (media.form === "unknown") return textContent(unreadable(media));
  const url = imageAddress(media);
  if (url !== null) return [{ type: "input_image", image_url: url, detail: "auto" }];
  notes.leaveOut(media.kind, "Responses takes JPEG, PNG, GIF and WebP images only.");
  return [];
}

function answer(step: Answer, options: RenderOptions, notes: Notes): ItemRow[] {
  const items = step.items.length > 0 ? step.items : capturedItems(step.calls);
  // The words are among the captured items when the service sent them with the call.
  const isSaid = items.some(({ type }) => type === "message");
  if (step.reasoning !== "" && !items.some(({ type }) => type === "reasoning")) notes.leaveOut("reasoning", REASONING);
  for (const one of step.media) notes.leaveOut(one.kind, "Responses takes none from the assistant.");
  const { seqs } = step;
  const left = new Map(step.calls.map((call) => [call.givenId, call]));
  const request: ItemRow[] = [];
  const order: string[] = [];
  const ask = (call: Call, item: JsonObject): void => {
    order.push(call.id);
    request.push(callRow(call, item, options, seqs));
  };
  for (const item of items) {
    const call = typeof item["call_id"] === "string" ? left.get(item["call_id"]) : undefined;
    if (call === undefined) {
      // A call that is not ours any more has no result: it would be refused.
      if (typeof item["call_id"] === "string") notes.leaveOut("captured call", "It has no result in the context.");
      else request.push({ role: "assistant", value: asSent(item), parts: [nativePart(item)], seqs });
      continue;
    }
    left.delete(call.givenId);
    ask(call, item);
  }
  // Reasoning stands before what it led to: at the end it would lead to nothing, and be refused.
  while (left.size === 0 && isReasoning(request.at(-1)?.value)) request.pop();
  for (const call of left.values()) ask(call, capturedCall(call));
  const words = isSaid || options.parity !== undefined ? [] : messageRow("assistant", step.text, seqs);
  const results = step.results.some(({ isAsSent }) => isAsSent) ? step.results : inOrder(step.results, order);
  const custom = new Set(step.calls.filter((call) => isCustom(capturedCall(call))).map(({ id }) => id));
  return [...words, ...request, ...results.map((result) => resultRow(result, custom.has(result.id), notes))];
}

/** The service knows what it sent; nothing of it is looked at here. */
const asSent = (item: JsonObject): ReplayedItem => item as unknown as ReplayedItem;

/** A call of free text: its item is of another type, and so is its result's. */
const isCustom = (item: JsonObject): boolean =>
  item["type"] === "custom_tool_call" && typeof item["input"] === "string";

const isReasoning = (item: unknown): boolean => isObject(item) && item["type"] === "reasoning";

function callRow(call: Call, item: JsonObject, { parity }: RenderOptions, seqs: readonly number[]): ItemRow {
  // Without the id that it is replaced by, or left out for.
  const { id: captured, status, ...rest } = item;
  const id =
    parity === undefined
      ? typeof captured === "string" && captured.startsWith("fc")
        ? { id: captured }
        : {}
      : { id: captured ?? call.id };
  const given = { ...id, call_id: call.id, status: status ?? "completed" };
  const parts = [callPart(call)];
  // What the service sent with it goes along.
  if (isCustom(rest))
    return { role: "assistant", value: { ...rest, ...given, name: call.name } as ResponsesCall, parts, seqs };
  const value = {
    ...rest,
    type: "function_call",
    ...given,
    // A name in two parts is one for every other provider.
    name: typeof rest["namespace"] === "string" ? (rest["name"] ?? call.name) : call.name,
    arguments: jsonText(call.arguments),
  } as ResponsesCall;
  return { role: "assistant", value, parts, seqs };
}

function resultRow(result: Result, isOfCustom: boolean, notes: Notes): ItemRow {
  const { id, output, media, seqs } = result;
  const texts = blocksOf(result);
  const shown = media.flatMap((one) => mediaContent(one, notes));
  const value: ResponsesItem = {
    type: isOfCustom ? "custom_tool_call_output" : "function_call_output",
    call_id: id,
    output: shown.length + texts.length === 1 ? output : [...texts.flatMap(textContent), ...shown],
  };
  return { role: "tool", value, parts: [resultPart(result), ...media.map(mediaPart)], seqs };
}

/** The blocks of an output, where their lengths still fit it. */
function blocksOf({ output, blocks }: Result): string[] {
  const chars = blocks.reduce((sum, length) => sum + length + 1, -1);
  let from = 0;
  return chars !== output.length ? [output] : blocks.map((length) => output.slice(from, (from += length + 1) - 1));
}

const contextOf = ({ native }: Call): Readonly<Record<string, unknown>> =>
  isObject(native) && native["provider"] === "openai_responses" ? native : {};

const capturedCall = (call: Call): JsonObject => {
  const item = contextOf(call)["functionCallItem"];
  return isObject(item) ? (copyOf(item) as JsonObject) : {};
};

/** The items of one answer, which each of its calls may carry: those that name most of the calls, then the most items. */
function capturedItems(calls: readonly Call[]): JsonObject[] {
  const ids = new Set(calls.map(({ givenId }) => givenId));
  let best: readonly Readonly<Record<string, unknown>>[] = [];
  let most = -1;
  for (const call of calls) {
    const found = contextOf(call)["responseOutputItems"];
    if (!Array.isArray(found) || found.length === 0) continue;
    const items = found.filter(isObject);
    const named = new Set(items.map((item) => item["call_id"]).filter((id) => typeof id === "string" && ids.has(id)));
    if (named.size < most || (named.size === most && items.length <= best.length)) continue;
    most = named.size;
    best = items;
  }
  return best.map((item) => copyOf(item) as JsonObject);
}
