// An agent on Mastra with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/mastra-example.ts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { recordingFetch, wrapTools } from "#lib/client/mastra-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const list_orders = createTool({
  id: "list_orders",
  description: "Lists all orders",
  inputSchema: z.object({ year: z.number() }),
  execute: async ({ year }) => Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 })),
});

const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session: { id: "mastra" } });
const baseURL = `${MODEL_URL}/v1`;
const provider = createOpenAICompatible({ name: "example", baseURL, apiKey: "none", fetch: recordingFetch(kit) });
const agent = new Agent({
  id: "books",
  name: "Books",
  instructions: "You keep the harbour's books.",
  // Its types lack one finish reason of the newest AI SDK: "interrupted".
  model: provider("gpt-5") as MastraModelConfig,
  tools: wrapTools({ list_orders }, kit),
});
const { text } = await agent.generate("Which order of 2026 is the largest?");
console.log(text);
await recorder.close();
