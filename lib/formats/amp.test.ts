// Threads of Amp: their messages, and the ledger of requests beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { amp } from "./amp.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `fixtures/amp-synthetic-${name}.json`));
  const state = amp.start({ path: "x", head: bytes, sidecars: new Map<string, string>() });
  const drafts = amp.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, id: amp.identify(state) };
}

test("results name their calls, and what was cached is counted beside the input", () => {
  const { drafts, id } = read("thread");
  expect(id).toBe("T-00000000-0000-4000-8000-000000000001");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/reef", startedAt: 1_770_109_200_000 });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many corals?" },
    { type: "reasoning", text: "Look." },
    { type: "tool_call", toolCallId: "toolu_a1" },
    { type: "tool_result", toolCallId: "toolu_a1", text: "seven", isError: false },
    { type: "assistant", text: "Seven." },
  ]);
  expect(calls(drafts)).toMatchObject([
    { model: "claude-sonnet-4-5-20250929", usage: { inputUncached: 10, cacheRead: 4000, cacheWrite: 300, output: 20 } },
    { usage: { inputUncached: 5, cacheRead: 4300, output: 4 } },
  ]);
});

test("an answer without usage has that of its request in the ledger, and each answer its time", () => {
  const { drafts } = read("ledger");
  expect(calls(drafts)).toMatchObject([
    {
      ts: Date.UTC(2025, 10, 23, 10, 0, 5),
      model: "claude-sonnet-4-5-20250929",
      usage: { inputUncached: 1400, cacheRead: 200, cacheWrite: 100, output: 30 },
    },
    {
      ts: Date.UTC(2025, 10, 23, 10, 0, 20),
      usage: { inputUncached: 7, cacheRead: 1500, cacheWrite: 90, output: 12 },
      window: 168_000,
    },
  ]);
  expect(events(drafts)[0]).toMatchObject({ ts: 1_763_892_001_000, startsTurn: true });
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/my tides" });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "When is high water?" },
    { type: "tool_call", toolCallId: "toolu_t1" },
    { type: "tool_result", toolCallId: "toolu_t1", text: "no such file", isError: true },
    { type: "assistant", text: "There is no table." },
    { type: "meta", subtype: "usage ledger", text: "0.8125 credits for 3 requests" },
  ]);
});

test("a request that no answer is about is counted by the agent, in no call", () => {
  const reported = read("ledger").drafts.filter((draft) => draft.kind === "reported");
  expect(reported).toHaveLength(1);
  expect(reported[0]).toMatchObject({
    usd: null,
    usage: {
      "claude-haiku-4-5-20251001": { inputUncached: 300, output: 8 },
      "claude-sonnet-4-5-20250929": { inputUncached: 1407, cacheRead: 1700, cacheWrite: 190, output: 42 },
    },
  });
  expect(read("thread").drafts.some(({ kind }) => kind === "reported")).toBe(false);
});

test("threads lie where Amp keeps its data", () => {
  expect(amp.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.local/share/amp/threads"]);
  expect(amp.sources({ HOME: "/home/ada", XDG_DATA_HOME: "/data" }, "linux")).toEqual(["/data/amp/threads"]);
  expect(amp.sources({ USERPROFILE: "C:\\Users\\ada" }, "win32")).toEqual([
    "C:\\Users\\ada\\.local\\share\\amp\\threads",
  ]);
  expect(amp.wants("/home/ada/.local/share/amp/threads/T-1.json")).toBe(true);
  expect(amp.wants("/home/ada/.local/share/amp/session.json")).toBe(false);
});
