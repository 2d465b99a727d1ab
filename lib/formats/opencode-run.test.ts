// Runs that OpenCode printed as JSON. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodies, calls, events, patches, recordsOf } from "./codex/testing-codex.ts";
import { FORMATS } from "./index.ts";
import { opencodeRun } from "./opencode-run.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures/opencode-run-synthetic-session.jsonl"));
const file = { path: "run.jsonl", head: bytes, sidecars: new Map<string, string>() };

test("a run that was printed has its answers, calls and results, and what each step used", () => {
  expect(FORMATS.filter((one) => one.detect(file)).map(({ id }) => id)).toEqual(["opencode-run"]);
  const state = opencodeRun.start(file);
  const drafts = recordsOf(bytes).flatMap((record) => opencodeRun.parse(record, state));
  expect(opencodeRun.identify(state)).toBe("ses_5c0a10000001Reef0000000001");
  expect(patches(drafts)).toMatchObject({ agentName: "OpenCode", startedAt: 1_785_997_454_000 });
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "reasoning", text: "Look at the reef." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_run1", toolName: "bash", input: { command: "cat reef.csv" } },
    { type: "tool_result", toolCallId: "call_run1", text: "brain,3\nfire,4\n", isError: false },
    { type: "assistant", text: "Seven corals." },
    { type: "error", text: "overloaded (synthetic)" },
  ]);
  // The first total says that reasoning is a part of the output, or not.
  expect(calls(drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 700, cacheRead: 6952, cacheWrite: 300, output: 59, reasoning: 24 },
    { inputUncached: 90, cacheRead: 7252, output: 9 },
  ]);
  expect(events(drafts).at(1)).toMatchObject({ ts: 1_785_997_454_100 });
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.014 });
});
