// Memory in each framework of docs/frameworks, with its real SDK: a conversation of several turns against a scripted model and a
// real Plimsoll, both on the loopback. The wire is looked at: every request is valid, its instructions are whole, and behind a
// compaction a summary and the newest turns are sent.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Plimsoll } from "#lib/client/index.ts";
import { withServer } from "#lib/client/testing-server.ts";
import type { Api, Body, KeptRequest, Script, Step } from "./agents/script-types.ts";
import { FRAMEWORKS, runExample } from "./run-example.ts";

const QUESTIONS = Array.from({ length: 8 }, (_, i) =>
  i === 0 ? "Survey the piers. Never close pier 4." : `What does the log of day ${i} say?`,
);
const ANSWERS = QUESTIONS.map((_, i) => `Day ${i} was calm.`);
const SCRIPT: Script = {
  lanes: {
    main: QUESTIONS.flatMap((_, i): Step[] => [
      { tools: [{ name: "read_log", input: { day: i } }] },
      // Two calls of one answer.
      ...(i === 2 ? [{ tools: [20, 21].map((day) => ({ name: "read_log", input: { day } })) }] : []),
      { text: ANSWERS[i]! },
    ]),
  },
};
/** Tokens that a prompt may have: of 6,000 less the margin, 80 %. */
const GATE = (6000 - 256) * 0.8;

type Item = Readonly<Record<string, unknown>>;
const list = (value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : []);

/** What the provider would refuse: calls without their one result, results without their call. */
function unpaired(api: Api, body: Body): string[] {
  const calls: unknown[] = [];
  const results: unknown[] = [];
  for (const item of list(body[api === "responses" ? "input" : "messages"])) {
    if (item["type"] === "function_call") calls.push(item["call_id"]);
    if (item["type"] === "function_call_output") results.push(item["call_id"]);
    if (item["role"] === "tool") results.push(item["tool_call_id"]);
    for (const { id } of list(item["tool_calls"])) calls.push(id);
    for (const { type, id, tool_use_id } of list(item["content"])) {
      if (type === "tool_use") calls.push(id);
      if (type === "tool_result") results.push(tool_use_id);
    }
  }
  const isOnce = (one: unknown, all: readonly unknown[]): boolean => all.filter((id) => id === one).length === 1;
  return [...calls.filter((id) => !isOnce(id, results)), ...results.filter((id) => !isOnce(id, calls))].map(String);
}

const promptOf = ({ answer }: KeptRequest): number =>
  answer!.usage.uncached + answer!.usage.cacheRead + answer!.usage.cacheWrite5m;

const NAMES = readdirSync(FRAMEWORKS)
  .filter((name) => name.endsWith("-memory.ts"))
  .map((name) => name.replace(".ts", ""));

test.each(NAMES)("%s: over the load line the oldest turns become a summary, and every request is valid", (name) =>
  withServer(async (server) => {
    const { printed, kept } = await runExample(name, server, SCRIPT, QUESTIONS);
    const lines = printed.split("\n");
    expect(lines.filter((line) => ANSWERS.includes(line))).toEqual(ANSWERS);
    const others = lines.filter((line) => !ANSWERS.includes(line));
    expect([others.length > 0, new Set(others)]).toEqual([true, new Set(["complete true"])]);

    expect(kept).toHaveLength(2 * QUESTIONS.length + 1);
    expect(kept.flatMap(({ api, body }) => unpaired(api, body))).toEqual([]);
    const wire = kept.map(({ body }) => JSON.stringify(body));
    for (const request of wire) expect(request.split("You keep the harbour's log.")).toHaveLength(2);
    const last = wire.at(-1)!;
    expect(last.split("Earlier messages of this conversation were compacted")).toHaveLength(2);
    // Its limit and the newest turns; not the results of old ones.
    const words = ["Never close pier 4", QUESTIONS[6]!, ANSWERS[6]!, QUESTIONS[7]!, ANSWERS[1]!];
    expect(words.filter((one) => !last.includes(one))).toEqual([ANSWERS[1]]);
    expect(Math.max(...kept.map(promptOf))).toBeLessThan(GATE * 1.2);
    // What was sent once begins the next request as it did, but where it was compacted.
    const compacted = wire.filter((request, i) => i > 0 && request.length < wire[i - 1]!.length);
    expect(compacted).toHaveLength(others.length);

    const session = new Plimsoll({ url: server.url, token: server.tokens.write }).session(`plimsoll:${name}`);
    const { events } = await session.events();
    expect(events.filter(({ type }) => type === "compaction")).toHaveLength(others.length);
    expect(events.filter(({ type, startsTurn }) => type === "user" && startsTurn)).toHaveLength(8);
    const { messages } = await session.context();
    const shown = JSON.stringify(messages);
    expect([shown.includes("were compacted"), shown.includes(ANSWERS[7]!), shown.includes(ANSWERS[1]!)]).toEqual([
      ...[true, true, false],
    ]);
  }),
);
