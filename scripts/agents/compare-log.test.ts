import { expect, test } from "vitest";
import type { Server } from "../bench/bench-server.ts";
import type { Pair } from "./compare-run.ts";
import { compareLog, spokenIn } from "./compare-log.ts";

const sent = (text: string) => ({
  messages: [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "t1" },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text }] }] },
    { role: "assistant", content: "Done." },
  ],
});

test("answers, calls and results are told in order, whatever their form", () => {
  expect(spokenIn(sent("boats"))).toEqual(["says I look.", "call t1", "result t1 boats", "says Done."]);
  expect(spokenIn({})).toEqual([]);
});

test("a context that the log gives otherwise is a problem, with what differs", async () => {
  const server = { ask: () => Promise.resolve({ text: JSON.stringify(sent("boats")) }) } as unknown as Server;
  const pair = (text: string, lane = "main"): Pair =>
    ({ request: { n: 3, lane, body: sent(text) }, shown: { session: "s", seq: 4 } }) as unknown as Pair;
  expect((await compareLog(server, [pair("boats")])).problems).toEqual([]);
  expect((await compareLog(server, [pair("a path"), pair("a path", "agent")])).problems).toEqual([
    expect.stringContaining("request 3 turns[2]"),
  ]);
});
