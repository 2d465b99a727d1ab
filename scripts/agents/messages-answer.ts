// An answer of the scripted model as Anthropic's Messages API gives it, streamed or whole.
import type { ServerResponse } from "node:http";
import { sendEvent, startStream } from "./event-stream.ts";
import type { Body, ChargedUsage, KeptAnswer, Step } from "./script-types.ts";

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** The blocks of an answer and the ids in it; `name` makes ids that no other answer has. */
export function messagesAnswer(step: Step, name: string, usage: ChargedUsage): { answer: KeptAnswer; blocks: Block[] } {
  const id = `msg_${name}`;
  const toolCalls = (step.tools ?? []).map((tool, i) => ({ id: `toolu_${name}x${i}`, tool }));
  const blocks: Block[] = [
    ...(step.thinking === undefined ? [] : [{ type: "thinking", thinking: step.thinking, signature: "c2lnbmVk" }]),
    ...(step.text === undefined ? [] : [{ type: "text", text: step.text }]),
    ...toolCalls.map(({ id: callId, tool }) => ({ type: "tool_use", id: callId, name: tool.name, input: tool.input })),
  ];
  return { answer: { status: 200, id, itemIds: [id], usage, toolCalls }, blocks };
}

export function sendMessages(
  response: ServerResponse,
  body: Body,
  { answer, blocks }: ReturnType<typeof messagesAnswer>,
): void {
  const usage = usageOf(answer.usage);
  const stop_reason = answer.toolCalls.length > 0 ? "tool_use" : "end_turn";
  const message = { id: answer.id, type: "message", role: "assistant", model: body["model"], stop_sequence: null };
  response.setHeader("request-id", answer.id.replace("msg_", "req_"));
  if (body["stream"] !== true) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...message, content: blocks, stop_reason, usage }));
    return;
  }
  startStream(response);
  // As the provider does: the whole input at the start, one token of output, and the true number at the end.
  const atStart = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  sendEvent(response, "message_start", { message: atStart });
  for (const [index, block] of blocks.entries()) {
    sendEvent(response, "content_block_start", { index, content_block: emptied(block) });
    for (const delta of deltasOf(block)) sendEvent(response, "content_block_delta", { index, delta });
    sendEvent(response, "content_block_stop", { index });
  }
  sendEvent(response, "message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  sendEvent(response, "message_stop", {});
  response.end();
}

function usageOf({ uncached, cacheRead, cacheWrite5m, cacheWrite1h, output }: ChargedUsage) {
  return {
    input_tokens: uncached,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    service_tier: "standard",
  };
}

function emptied(block: Block): Block {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} };
}

function deltasOf(block: Block): readonly object[] {
  if (block.type === "text") return [{ type: "text_delta", text: block["text"] }];
  if (block.type !== "thinking") return [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }];
  return [
    { type: "thinking_delta", thinking: block["thinking"] },
    { type: "signature_delta", signature: block["signature"] },
  ];
}
