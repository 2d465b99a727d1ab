// Sessions of Continue: the messages, and what stands beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { continueFormat } from "./continue.ts";

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `fixtures/continue-synthetic-${name}.json`));
  const state = continueFormat.start({ path: "x", head: bytes, sidecars: new Map<string, string>() });
  const drafts = continueFormat.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, id: continueFormat.identify(state) };
}

test("results and files stand beside their messages; a thought is no call of its own", () => {
  const { drafts, id } = read("editor");
  expect(id).toBe("0c0c0000-0000-4000-8000-000000000001");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/my reef" });
  expect(drafts[0]).toMatchObject({ kind: "session", patch: { title: "Corals (synthetic)", titleRank: 1 } });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many corals?" },
    { type: "user", text: "reef.md\nCorals stand here.", injected: "file" },
    { type: "reasoning", text: "Look first." },
    { type: "tool_call", toolCallId: "call_k1", input: { filepath: "reef.md" } },
    { type: "tool_result", toolCallId: "call_k1", text: "seven", isError: false },
    { type: "assistant", text: "Seven." },
  ]);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
  expect(calls(drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 40, cacheRead: 60, output: 9 },
    { inputUncached: 130, output: 3 },
  ]);
});

test("thoughts, the model, a summary and the sums of the session stand beside the messages", () => {
  const { drafts, id } = read("cli");
  expect(id).toBe("0c0c0000-0000-4000-8000-000000000002");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/tides", model: "claude-haiku-4-5" });
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "When is high water?" },
    { type: "reasoning", text: "The table says it." },
    { type: "assistant", text: "At seven." },
    { type: "assistant", text: "The table was read: high water at seven." },
    { type: "compaction", kind: "full", text: "The table was read: high water at seven." },
    { type: "user", text: "And low water?" },
    { type: "assistant", text: "At one." },
  ]);
  // Anthropic's counts: what was written to the cache and read from it stands beside the prompt.
  expect(calls(drafts)).toMatchObject([
    { ts: 1_770_109_200_000, model: "claude-haiku-4-5", usage: { inputUncached: 5, cacheWrite: 3000, output: 9 } },
    { model: "claude-haiku-4-5", usage: null },
    { model: "claude-haiku-4-5", usage: { inputUncached: 4, cacheRead: 1200, cacheWrite: 20, output: 3 } },
  ]);
  expect(drafts.filter(({ kind }) => kind === "reported")).toMatchObject([
    {
      usd: 0.0123,
      usage: { "claude-haiku-4-5": { inputUncached: 309, cacheRead: 1200, cacheWrite: 3020, output: 20 } },
    },
  ]);
});

test("when a session began stands in the list of them", () => {
  const bytes = readFileSync(join(import.meta.dirname, "fixtures/continue-synthetic-editor.json"));
  const listed = (list: string) => {
    const path = "/home/ada/.continue/sessions/0c0c0000-0000-4000-8000-000000000001.json";
    const beside = new Map([["/home/ada/.continue/sessions/sessions.json", list]]);
    expect(continueFormat.sidecars!(path)).toEqual([...beside.keys()]);
    const state = continueFormat.start({ path, head: bytes, sidecars: beside });
    return patches(continueFormat.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state))["startedAt"];
  };
  const of = (sessionId: string) => JSON.stringify([{ sessionId, title: "Corals", dateCreated: "1770109100000" }]);
  expect(listed(of("0c0c0000-0000-4000-8000-000000000001"))).toBe(1_770_109_100_000);
  expect(listed(of("0c0c0000-0000-4000-8000-000000000009"))).toBeUndefined();
  expect(listed("[{")).toBeUndefined();
});

test("sessions lie where Continue keeps them; the list of them is none", () => {
  expect(continueFormat.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.continue/sessions"]);
  expect(continueFormat.sources({ HOME: "/home/ada", CONTINUE_GLOBAL_DIR: "/data/c" }, "linux")).toEqual([
    "/data/c/sessions",
  ]);
  expect(continueFormat.wants("/home/ada/.continue/sessions/0c0c0000-0000-4000-8000-000000000002.json")).toBe(true);
  expect(continueFormat.wants("/home/ada/.continue/sessions/sessions.json")).toBe(false);
});
