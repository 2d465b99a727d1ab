// An agent whose turns are processes: Plimsoll holds its log, and compacts it before a request when the last prompt was over
// the budget. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… node docs/examples/process-per-turn.ts N, for N = 1 to 9
import { Plimsoll } from "#lib/client/index.ts";

const turn = Number(process.argv[2]);
const plimsoll = new Plimsoll({ url: process.env["PLIMSOLL_URL"]!, token: process.env["PLIMSOLL_TOKEN"]! });
const compaction = { contextTokens: 4000, safetyMarginTokens: 0, ratio: 1, tail: 2 };
const session = await plimsoll.createSession({ id: "harbour", compaction });

// A model of your own stands here. This one reads a file each turn, and counts four characters a token as its provider would.
const askModel = (request: unknown) => ({
  answer: `Pier ${turn} is sound.`,
  prompt: JSON.stringify(request).length / 4,
});
const readFile = (pier: number) => `pier ${pier}: tide ${pier}.32 m, rope and bollard checked\n`.repeat(90);

const goal = "Survey the nine piers of the harbour. Never close pier 4.";
await session.addEvents([
  { record: "event", startsTurn: true, body: { type: "user", text: turn === 1 ? goal : `Now pier ${turn}.` } },
]);
const { request, epoch, didCompact, compaction: ended } = await session.nextRequest({ as: "anthropic" });
const { answer, prompt } = askModel(request);
const usage = { inputUncached: Math.ceil(prompt), cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 0 };
const toolCallId = `call_${turn}`;
await session.addEvents(
  [
    { record: "call", key: `model_${turn}`, usage: { ...usage, origin: "reported" } },
    {
      record: "event",
      body: { type: "tool_call", toolCallId, toolName: "read_file", input: { path: `pier-${turn}` } },
    },
    { record: "event", body: { type: "tool_result", toolCallId, text: readFile(turn) } },
    { record: "event", body: { type: "assistant", text: answer } },
  ],
  { epoch },
);
const keeps = JSON.stringify(request).includes("Never close pier 4") ? "goal kept" : "goal lost";
console.log(
  turn,
  didCompact ? `compacted (${ended?.trigger})` : "sent as it is",
  prompt > 4000 ? "over" : "under",
  keeps,
);
// Prints:
// 1 sent as it is under goal kept
// 2 sent as it is under goal kept
// 3 sent as it is under goal kept
// 4 sent as it is under goal kept
// 5 sent as it is over goal kept
// 6 compacted (budget) under goal kept
// 7 sent as it is under goal kept
// 8 sent as it is under goal kept
// 9 sent as it is over goal kept
