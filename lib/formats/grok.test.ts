// Grok conversations: answers between inputs, what is no prompt, and the sums of the turns beside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { grok } from "./grok.ts";

const FOLDER = "/home/ada/.grok/sessions/%2Fhome%2Fada/0190aaaa-0000-7000-8000-000000000001";
const bytes = readFileSync(join(import.meta.dirname, "fixtures", "grok-synthetic-session.jsonl"));

function read(beside: Readonly<Record<string, string>> = {}) {
  const sidecars = new Map(Object.entries(beside).map(([name, text]) => [`${FOLDER}/${name}`, text] as const));
  const state = grok.start({ path: `${FOLDER}/chat_history.jsonl`, head: bytes, sidecars });
  const drafts = bytes
    .toString()
    .split("\n")
    .filter(Boolean)
    .flatMap((line, i) =>
      grok.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
    );
  return { drafts, state };
}
const eventsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));

test("a model call is what the model wrote between two inputs", () => {
  const { drafts, state } = read();
  expect(grok.identify(state)).toBe("0190aaaa-0000-7000-8000-000000000001");
  const calls = Map.groupBy(eventsOf(drafts), ({ callKey }) => callKey ?? "");
  expect([...calls].map(([key, all]) => [key, all.map(({ body }) => body.type).join(" ")])).toEqual([
    ["", "system user user tool_result tool_result user tool_result unknown"],
    ["n:1", "reasoning assistant tool_call tool_call"],
    ["n:2", "tool_call assistant"],
    ["n:3", "reasoning tool_call"],
    ["n:4", "assistant"],
  ]);
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.model] : []))).toEqual([
    "grok-code-fast-1",
    "grok-code-fast-1",
    "grok-4",
    "grok-4",
  ]);
});

test("what the client put before the prompt is injected; words in between are a prompt", () => {
  const users = eventsOf(read().drafts).flatMap(({ body, startsTurn }) =>
    body.type === "user" ? [[body.injected ?? "", startsTurn]] : [],
  );
  expect(users).toEqual([
    ["user_info", false],
    ["", true],
    ["", true],
  ]);
});

test("turns are added up, a turn that is told again once; ticks are dollars", () => {
  const turn = (id: string, output: number) => ({
    timestamp: 1_772_442_000,
    method: "_x.ai/session/update",
    params: {
      update: {
        sessionUpdate: "turn_completed",
        prompt_id: id,
        usage: {
          costUsdTicks: id === "p2" ? "5000000000" : 5_000_000_000,
          modelUsage: {
            "grok-4": { inputTokens: 100, cachedReadTokens: 60, outputTokens: output, reasoningTokens: 3 },
          },
        },
      },
    },
  });
  const updates = [turn("p1", 7), turn("p1", 8), turn("p2", 2)].map((one) => `${JSON.stringify(one)}\n`).join("");
  const summary = { info: { cwd: "/home/ada" }, generated_title: "Quays", created_at: "2026-03-02T09:00:00Z" };
  const { drafts } = read({ "updates.jsonl": `${updates}{"torn`, "summary.json": JSON.stringify(summary) });
  expect(drafts.filter(({ kind }) => kind === "reported")).toMatchObject([
    { usd: 1, usage: { "grok-4": { inputUncached: 80, cacheRead: 120, output: 10, reasoning: 5 } } },
  ]);
  expect(drafts[0]).toMatchObject({
    patch: { title: "Quays", cwd: "/home/ada", startedAt: Date.UTC(2026, 2, 2, 9) },
  });
});

test("of a session's folder the conversation alone is a file of its own", () => {
  expect(grok.wants(`${FOLDER}/chat_history.jsonl`)).toBe(true);
  expect(grok.isPart!(`${FOLDER}/chat_history.jsonl`)).toBe(false);
  expect(grok.isPart!(`${FOLDER}/updates.jsonl`)).toBe(true);
});
