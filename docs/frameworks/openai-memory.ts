// A tool runner on OpenAI's SDK with a memory: long conversations are compacted. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/openai-memory.ts QUESTION…
import OpenAI from "openai";
import { connectKit } from "#lib/client/index.ts";
import { memoryFetch, recordingFetch, wrapTools, type CompactionReport } from "#lib/client/openai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const log = Array.from({ length: 40 }, (_, i) => `line ${i}: the tide at pier 4 stood at ${i % 7} m`).join("\n");
const readLog = {
  type: "function" as const,
  function: {
    name: "read_log",
    description: "Reads the log",
    parameters: { type: "object" as const, properties: { day: { type: "number" as const } } },
    parse: JSON.parse,
    function: () => log,
  },
};

const session = { id: "openai-memory" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const onCompaction = ({ status, covered }: CompactionReport) => console.log(status, covered > 0);
const fetch = memoryFetch(kit, { contextTokens: 6000, tail: 1, onCompaction }, recordingFetch(kit));
const client = new OpenAI({ baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch });
let messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "You keep the harbour's log." }];
for (const question of process.argv.slice(2)) {
  messages = [...messages, { role: "user", content: question }];
  const runner = client.chat.completions.runTools({ model: "gpt-5", messages, tools: wrapTools([readLog], kit) });
  console.log(await runner.finalContent());
  messages = runner.messages;
}
await recorder.close();
