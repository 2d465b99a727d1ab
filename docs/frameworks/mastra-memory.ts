// An agent on Mastra with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/mastra-memory.ts QUESTION…
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { memoryFetch, recordingFetch, wrapTools, type CompactionReport } from "#lib/client/mastra-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const read_log = createTool({
  id: "read_log",
  description: "Reads the log",
  inputSchema: z.object({ day: z.number() }),
  execute: async () => log,
});

const session = { id: "mastra-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const fetch = memoryFetch(kit, { contextTokens: 6000, tail: 1, onCompaction }, recordingFetch(kit));
const provider = createOpenAICompatible({ name: "example", baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch });
const agent = new Agent({
  id: "harbour",
  name: "Harbour",
  instructions: "You keep the harbour's log.",
  model: provider("gpt-5") as MastraModelConfig,
  tools: wrapTools({ read_log }, kit),
});
type Messages = Extract<Parameters<typeof agent.generate>[0], readonly unknown[]>;
let messages = [] as unknown as Messages;
for (const question of process.argv.slice(2)) {
  messages = [...messages, { role: "user", content: question }] as Messages;
  const { text, response } = await agent.generate(messages);
  messages = [...messages, ...(response.messages ?? [])] as Messages;
  console.log(text);
}
await recorder.close();
