// An answer of the scripted model as Gemini's generateContent gives it: one event, or one body.
import type { ServerResponse } from "node:http";
import { startStream } from "./event-stream.ts";
import type { ChargedUsage, KeptAnswer, Step } from "./script-types.ts";

export function geminiAnswer(step: Step, name: string, usage: ChargedUsage): { answer: KeptAnswer; parts: object[] } {
  const id = `gemini_${name}`;
  const toolCalls = (step.tools ?? []).map((tool, i) => ({ id: `${id}x${i}`, tool }));
  const parts = [
    ...(step.thinking === undefined ? [] : [{ text: step.thinking, thought: true }]),
    ...(step.text === undefined ? [] : [{ text: step.text }]),
    ...toolCalls.map(({ tool }) => ({ functionCall: { name: tool.name, args: tool.input } })),
  ];
  return { answer: { status: 200, id, itemIds: [id], usage, toolCalls }, parts };
}

export function sendGemini(
  response: ServerResponse,
  isStreamed: boolean,
  { answer, parts }: ReturnType<typeof geminiAnswer>,
): void {
  const { uncached, cacheRead, output, reasoning } = answer.usage;
  const promptTokenCount = uncached + cacheRead;
  const usageMetadata = {
    promptTokenCount,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: promptTokenCount + output,
  };
  const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
  const text = JSON.stringify({ candidates, usageMetadata, modelVersion: "scripted", responseId: answer.id });
  if (isStreamed) startStream(response);
  else response.writeHead(200, { "content-type": "application/json" });
  response.end(isStreamed ? `data: ${text}\n\n` : text);
}
