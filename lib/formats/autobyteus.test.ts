// Traces of Autobyteus: calls and their words shown once, ids that collide, errors, what stands beside the file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { autobyteus } from "./autobyteus.ts";

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));

function read(
  bytes: Uint8Array,
  path = "/memory/agents/Tide_1/raw_traces.jsonl",
  beside: Record<string, unknown> = {},
) {
  const sidecars = new Map(Object.entries(beside).map(([name, value]) => [name, JSON.stringify(value)] as const));
  const state = autobyteus.start({ path, head: bytes, sidecars });
  let at = 0;
  const drafts = Buffer.from(bytes)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line, index) => {
      const record = { bytes: Buffer.from(line), byteStart: at, byteEnd: at + line.length, line: index + 1 };
      at += line.length + 1;
      return autobyteus.parse(record, state);
    });
  return { drafts, state };
}

const eventsOf = (drafts: readonly Draft[]) => drafts.filter((draft) => draft.kind === "event");
const typesOf = (drafts: readonly Draft[]): string[] => eventsOf(drafts).map(({ body }) => body.type);

describe("generation 1", () => {
  const { drafts } = read(fixture("autobyteus-synthetic-generation-1.jsonl"));

  test("the words of a call in XML are shown once, as the call", () => {
    expect(typesOf(drafts)).toEqual(["user", "tool_call", "meta", "tool_result", "assistant", "user", "tool_call"]);
  });

  test("records whose ids collide have names of their own", () => {
    const keys = eventsOf(drafts).map(({ recordKey }) => recordKey);
    expect(new Set(keys).size).toBe(7);
  });

  test("what stands between two inputs is one model call", () => {
    expect(drafts.filter(({ kind }) => kind === "call")).toHaveLength(3);
    const [call, words] = eventsOf(drafts).slice(1, 3);
    expect(call!.callKey).toBe(words!.callKey);
  });
});

describe("generation 2", () => {
  const { drafts } = read(fixture("autobyteus-synthetic-generation-2.jsonl"));

  test("a tool error is an error, and an object is its text", () => {
    const results = eventsOf(drafts).flatMap(({ body }) => (body.type === "tool_result" ? [body] : []));
    expect(results[0]).toMatchObject({ isError: true, text: "No pencil." });
    expect(results[1]).toMatchObject({ isError: false, detail: { exitCode: 0 } });
  });

  test("sequence numbers that go back leave the order of the file, and say so", () => {
    expect(typesOf(drafts).slice(4, 6)).toEqual(["assistant", "reasoning"]);
    const qualities = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.quality ?? []) : []));
    expect(qualities.filter((text) => text.startsWith("Sequence numbers"))).toHaveLength(1);
  });

  test("a boundary of the provider is a compaction", () => {
    expect(typesOf(drafts)).toContain("compaction");
  });
});

test("the snapshot beside has the system prompt, and a later reading knows it; a folder names the run", () => {
  const bytes = fixture("autobyteus-synthetic-generation-2.jsonl");
  expect(read(bytes).state.id).toBe("Tide_1");
  expect(read(bytes, "/x/agent_teams/team_1/member_2/raw_traces.jsonl").state.id).toBe("team_1/member_2");
  expect(read(bytes, "/tmp/dropped.jsonl").state.id).toBe("rt_1790000100000_1b");
  const snapshot = { schema_version: 3, agent_id: "tide_agent", messages: [{ role: "system", content: "You draw." }] };
  const beside = { "/memory/agents/Tide_1/working_context_snapshot.json": snapshot };
  const { drafts, state } = read(bytes, "/memory/agents/Tide_1/raw_traces.jsonl", beside);
  expect(state.id).toBe("Tide_1");
  expect(eventsOf(drafts)[0]).toMatchObject({ body: { type: "system", text: "You draw." } });
});

test("a trace of the system's instructions is the system prompt, once", () => {
  const said = { id: "si_1", ts: 1, trace_type: "system_instruction", content: "You draw.", source_event: "S" };
  const asked = { id: "rt_1", ts: 2, turn_id: "turn_0001", seq: 1, trace_type: "user", content: "Draw." };
  const bytes = Buffer.from([said, asked].map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(typesOf(read(bytes).drafts)).toEqual(["system", "user"]);
  const snapshot = { schema_version: 3, agent_id: "tide_agent", messages: [{ role: "system", content: "You draw." }] };
  const beside = { "/memory/agents/Tide_1/working_context_snapshot.json": snapshot };
  const { drafts } = read(bytes, "/memory/agents/Tide_1/raw_traces.jsonl", beside);
  expect(typesOf(drafts)).toEqual(["system", "meta", "user"]);
});

describe("names of the newest runs", () => {
  const bytes = fixture("autobyteus-synthetic-generation-2.jsonl");

  test("traces of now and rotated ones are looked for, with what stands beside them", () => {
    for (const name of ["raw_traces.jsonl", "raw_traces_active.jsonl", "raw_traces_000002.jsonl"]) {
      expect(autobyteus.wants(`/memory/agents/Tide_1/${name}`)).toBe(true);
      expect(autobyteus.sidecars?.(`/memory/agents/Tide_1/${name}`)).toEqual([
        "/memory/agents/Tide_1/working_context_snapshot.json",
        "/memory/agents/Tide_1/run_metadata.json",
      ]);
    }
    expect(autobyteus.wants("/memory/agents/Tide_1/raw_traces_manifest.json")).toBe(false);
  });

  test("traces of now have the run's name, and rotated ones their number with it", () => {
    expect(read(bytes, "/memory/agents/Tide_1/raw_traces_active.jsonl").state.id).toBe("Tide_1");
    expect(read(bytes, "/memory/agents/Tide_1/raw_traces_000002.jsonl").state.id).toBe("Tide_1/000002");
    expect(read(bytes, "/x/agent_teams/team_1/member_2/raw_traces_000001.jsonl").state.id).toBe(
      "team_1/member_2/000001",
    );
  });

  test("a run without a snapshot is named after its definition", () => {
    const beside = { "/m/agents/T/run_metadata.json": { agentDefinitionId: "tide", workspaceRootPath: "/sea" } };
    const { state } = read(bytes, "/m/agents/T/raw_traces_active.jsonl", beside);
    expect(state).toMatchObject({ agent: "tide", cwd: "/sea" });
  });

  test("a head that ends inside the system's instructions is known", () => {
    const said = { id: "si_1", ts: 1.5, trace_type: "system_instruction", content: "You draw.".repeat(100) };
    const head = Buffer.from(JSON.stringify(said).slice(0, 400));
    expect(autobyteus.detect({ path: "/x/a.jsonl", head, sidecars: new Map() })).toBe(true);
  });
});
