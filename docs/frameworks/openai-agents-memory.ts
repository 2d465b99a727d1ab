// An agent on OpenAI's Agents SDK with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/openai-agents-memory.ts QUESTION…
import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool, user, type AgentInputItem } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { memoryFetch, recordingFetch, wrapAgentTools, type CompactionReport } from "#lib/client/openai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
setTracingDisabled(true);
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const readLog = tool({
  name: "read_log",
  description: "Reads the log",
  parameters: z.object({ day: z.number() }),
  execute: () => log,
});

const session = { id: "openai-agents-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const fetch = memoryFetch(kit, { contextTokens: 6000, tail: 1, onCompaction }, recordingFetch(kit));
const client = new OpenAI({ baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch });
const agent = new Agent({
  name: "Harbour",
  instructions: "You keep the harbour's log.",
  model: new OpenAIResponsesModel(client, "gpt-5"),
  tools: wrapAgentTools([readLog], kit),
});
let history: AgentInputItem[] = [];
for (const question of process.argv.slice(2)) {
  const result = await run(agent, [...history, user(question)]);
  history = result.history;
  console.log(result.finalOutput);
}
await recorder.close();
