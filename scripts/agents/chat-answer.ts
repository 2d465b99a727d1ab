// An answer of the scripted model as a chat completion, streamed or whole: what most other agents speak.
import type { ServerResponse } from "node:http";
import { startStream } from "./event-stream.ts";
import type { Body, ChargedUsage, KeptAnswer, Step } from "./script-types.ts";

type Message = Readonly<Record<string, unknown>>;

export function chatAnswer(step: Step, name: string, usage: ChargedUsage): { answer: KeptAnswer; message: Message } {
  const id = `chatcmpl_${name}`;
  const toolCalls = (step.tools ?? []).map((tool, i) => ({ id: `call_${name}x${i}`, tool }));
  const calls = toolCalls.map(({ id: callId, tool }, index) => ({
    index,
    id: callId,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  }));
  const message = {
    role: "assistant",
    content: step.text ?? "",
    ...(step.thinking === undefined ? {} : { reasoning_content: step.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { answer: { status: 200, id, itemIds: [id, ...toolCalls.map((call) => call.id)], usage, toolCalls }, message };
}

export function sendChat(
  response: ServerResponse,
  body: Body,
  { answer, message }: ReturnType<typeof chatAnswer>,
): void {
  const frame = { id: answer.id, created: Math.floor(Date.now() / 1000), model: body["model"] };
  const finish_reason = answer.toolCalls.length > 0 ? "tool_calls" : "stop";
  const usage = usageOf(answer.usage);
  if (body["stream"] !== true) {
    response.setHeader("content-type", "application/json");
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...frame, object: "chat.completion", choices, usage }));
    return;
  }
  startStream(response);
  const send = (choices: readonly object[], more: object = {}): void => {
    const chunk = { ...frame, object: "chat.completion.chunk", choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send([{ index: 0, delta: message, finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason }]);
  send([], { usage });
  response.end("data: [DONE]\n\n");
}

function usageOf({ uncached, cacheRead, output, reasoning }: ChargedUsage) {
  const prompt_tokens = uncached + cacheRead;
  return {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
