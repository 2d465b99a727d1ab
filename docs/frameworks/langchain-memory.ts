// An agent on LangChain with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/langchain-memory.ts QUESTION…
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, HumanMessage, tool, type BaseMessage } from "langchain";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { memoryMiddleware, plimsollMiddleware, type CompactionReport } from "#lib/client/langchain-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const readLog = tool(() => log, {
  name: "read_log",
  description: "Reads the log",
  schema: z.object({ day: z.number() }),
});

const session = { id: "langchain-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const memory = memoryMiddleware(kit, { contextTokens: 6000, tail: 1, onCompaction });
const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: `${MODEL_URL}/v1` } }),
  systemPrompt: "You keep the harbour's log.",
  tools: [readLog],
  middleware: [plimsollMiddleware(kit), memory],
});
let history: BaseMessage[] = [];
for (const question of process.argv.slice(2)) {
  const { messages } = await agent.invoke({ messages: [...history, new HumanMessage(question)] });
  history = messages;
  console.log(messages.at(-1)!.text);
}
await recorder.close();
