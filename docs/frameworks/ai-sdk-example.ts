// An agent on the Vercel AI SDK with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/ai-sdk-example.ts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { artifactMiddleware, plimsollTelemetry, wrapTools } from "#lib/client/ai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const provider = createOpenAICompatible({ name: "example", baseURL: `${MODEL_URL}/v1`, apiKey: "none" });
const tools = {
  list_orders: tool({
    description: "Lists all orders",
    inputSchema: z.object({ year: z.number() }),
    execute: ({ year }) => Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 })),
  }),
};

const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session: { id: "ai-sdk" } });
const { text } = await generateText({
  model: wrapLanguageModel({ model: provider("gpt-5"), middleware: artifactMiddleware(kit) }),
  tools: wrapTools(tools, kit),
  telemetry: { integrations: [plimsollTelemetry(kit)] },
  stopWhen: isStepCount(5),
  system: "You keep the harbour's books.",
  prompt: "Which order of 2026 is the largest?",
});
console.log(text);
await recorder.close();
