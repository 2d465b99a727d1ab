// An agent on the Vercel AI SDK with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/ai-sdk-memory.ts QUESTION…
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, tool, wrapLanguageModel, type ModelMessage } from "ai";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { artifactMiddleware, memoryMiddleware, plimsollTelemetry, wrapTools } from "#lib/client/ai-entry.ts";
import type { CompactionReport } from "#lib/client/ai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const provider = createOpenAICompatible({ name: "example", baseURL: `${MODEL_URL}/v1`, apiKey: "none" });
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const read_log = tool({
  description: "Reads the log",
  inputSchema: z.object({ day: z.number() }),
  execute: () => log,
});

const session = { id: "ai-sdk-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const memory = memoryMiddleware(kit, { contextTokens: 6000, tail: 1, onCompaction });
const middleware = [artifactMiddleware(kit), memory];
const messages: ModelMessage[] = [];
for (const question of process.argv.slice(2)) {
  messages.push({ role: "user", content: question });
  const { text, responseMessages } = await generateText({
    model: wrapLanguageModel({ model: provider("gpt-5"), middleware }),
    tools: wrapTools({ read_log }, kit),
    telemetry: { integrations: [plimsollTelemetry(kit)] },
    stopWhen: isStepCount(5),
    system: "You keep the harbour's log.",
    messages,
  });
  messages.push(...responseMessages);
  console.log(text);
}
await recorder.close();
