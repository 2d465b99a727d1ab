// A tool runner on Anthropic's SDK with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/anthropic-memory.ts QUESTION…
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { connectKit } from "#lib/client/index.ts";
import { memoryFetch, recordingFetch, wrapTools, type CompactionReport } from "#lib/client/anthropic-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const readLog = betaTool({
  name: "read_log",
  description: "Reads the log",
  inputSchema: { type: "object", properties: { day: { type: "number" } }, required: ["day"] },
  run: () => log,
});

const session = { id: "anthropic-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const fetch = memoryFetch(kit, { contextTokens: 6000, tail: 1, onCompaction }, recordingFetch(kit));
const client = new Anthropic({ baseURL: MODEL_URL!, apiKey: "none", fetch });
let messages: Anthropic.Beta.BetaMessageParam[] = [];
for (const question of process.argv.slice(2)) {
  const runner = client.beta.messages.toolRunner({
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: "You keep the harbour's log.",
    messages: [...messages, { role: "user", content: question }],
    tools: wrapTools([readLog], kit),
    // A thread's history is with the provider, and cannot be compacted here.
    thread: false,
  });
  const { role, content } = await runner;
  messages = [...runner.params.messages];
  if (messages.at(-1)?.role !== "assistant") messages.push({ role, content });
  console.log(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
}
await recorder.close();
