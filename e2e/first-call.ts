// What Claude Code would write behind a continuation: its first prompt and answer. Synthetic.
import { readFileSync } from "node:fs";

/** As the agent goes on: a prompt, and an answer with its usage. */
export function firstCall(path: string, sessionId: string, prompt: number): string {
  const last = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { uuid?: string }).uuid)
    .findLast((uuid) => uuid !== undefined);
  const own = { isSidechain: false, sessionId, cwd: "/home/sailor/harbour", version: "2.1.219" };
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: prompt - 10,
    cache_creation_input_tokens: 0,
    output_tokens: 5,
  };
  const message = { id: "msg_next", role: "assistant", type: "message", model: "claude-opus-4-5", usage };
  const timestamp = new Date().toISOString();
  const uuid = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
  const records = [
    {
      ...own,
      type: "user",
      uuid: uuid(1),
      parentUuid: last,
      timestamp,
      message: { role: "user", content: "Go on" },
    },
    {
      ...own,
      type: "assistant",
      uuid: uuid(2),
      parentUuid: uuid(1),
      requestId: "req_next",
      timestamp,
      message: { ...message, content: [{ type: "text", text: "Done." }] },
    },
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
