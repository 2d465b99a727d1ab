// An answer of the scripted model as OpenAI's Responses API gives it, streamed or whole.
import type { ServerResponse } from "node:http";
import { sendEvent, startStream } from "./event-stream.ts";
import type { Body, ChargedUsage, KeptAnswer, Step } from "./script-types.ts";

type Item = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string };

/** The items of an answer and the ids in it; `name` makes ids that no other answer has. */
export function responsesAnswer(step: Step, name: string, usage: ChargedUsage): { answer: KeptAnswer; items: Item[] } {
  const toolCalls = (step.tools ?? []).map((tool, i) => ({ id: `call_${name}x${i}`, tool }));
  const items: Item[] = [];
  if (step.thinking !== undefined) {
    const summary = [{ type: "summary_text", text: step.thinking }];
    items.push({ type: "reasoning", id: `rs_${name}`, summary, encrypted_content: "c2VhbGVk" });
  }
  if (step.text !== undefined) {
    const content = [{ type: "output_text", text: step.text, annotations: [] }];
    items.push({ type: "message", id: `msg_${name}`, role: "assistant", status: "completed", content });
  }
  for (const [i, { id, tool }] of toolCalls.entries()) {
    const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace };
    const call = { call_id: id, name: tool.name, ...namespace, arguments: JSON.stringify(tool.input) };
    items.push({ type: "function_call", id: `fc_${name}x${i}`, status: "completed", ...call });
  }
  const id = `resp_${name}`;
  return { answer: { status: 200, id, itemIds: items.map((item) => item.id), usage, toolCalls }, items };
}

export function sendResponses(
  response: ServerResponse,
  body: Body,
  { answer, items }: ReturnType<typeof responsesAnswer>,
): void {
  const created_at = Math.floor(Date.now() / 1000);
  const frame = { id: answer.id, object: "response", created_at, model: body["model"] };
  const whole = { ...frame, status: "completed", output: items, usage: usageOf(answer.usage) };
  if (body["stream"] !== true) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(whole));
    return;
  }
  startStream(response);
  let sequence_number = 0;
  const send = (type: string, fields: object): void =>
    sendEvent(response, type, { sequence_number: sequence_number++, ...fields });
  send("response.created", { response: { ...frame, status: "in_progress", output: [] } });
  for (const [output_index, item] of items.entries()) {
    send("response.output_item.added", { output_index, item: { ...item, ...begun(item) } });
    if (item.type === "message") sendText(send, item, output_index);
    if (item.type === "function_call") {
      const at = { item_id: item.id, output_index };
      send("response.function_call_arguments.delta", { ...at, delta: item["arguments"] });
      send("response.function_call_arguments.done", { ...at, arguments: item["arguments"] });
    }
    send("response.output_item.done", { output_index, item });
  }
  send("response.completed", { response: whole });
  response.end();
}

function sendText(send: (type: string, fields: object) => void, item: Item, output_index: number): void {
  const at = { item_id: item.id, output_index, content_index: 0 };
  const [part] = item["content"] as readonly [{ readonly text: string }];
  send("response.content_part.added", { ...at, part: { ...part, text: "" } });
  send("response.output_text.delta", { ...at, delta: part.text });
  send("response.output_text.done", { ...at, text: part.text });
  send("response.content_part.done", { ...at, part });
}

/** What an item lacks before its deltas. */
function begun({ type }: Item): object {
  if (type === "message") return { status: "in_progress", content: [] };
  return type === "function_call" ? { status: "in_progress", arguments: "" } : {};
}

function usageOf({ uncached, cacheRead, output, reasoning }: ChargedUsage) {
  const input_tokens = uncached + cacheRead;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input_tokens + output,
  };
}
