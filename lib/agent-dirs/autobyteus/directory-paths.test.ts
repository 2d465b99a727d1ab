import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readDirectory } from "./directory.ts";
import { readObject, readObjects } from "./trace-lines.ts";
import { defaultState, stateFolder } from "./lock.ts";
import { openMemory } from "./open-memory.ts";
import { agentDirectory, listRuns, memberDirectory, memoryBase } from "./directory-paths.ts";
import { bytesIn, inFolder, testHost } from "./testing-directory.ts";

test("the base folder is the one that is asked for, else the environment's, else the caller's, else memory", () => {
  const env = { AUTOBYTEUS_MEMORY_DIR: "/env/memory" };
  const cwd = "/work-dir";
  const fallback = "/fallback/memory";
  expect(memoryBase({ override: "/custom/memory", env, fallback, cwd })).toBe("/custom/memory");
  expect(memoryBase({ env, fallback, cwd })).toBe("/env/memory");
  expect(memoryBase({ env: { AUTOBYTEUS_MEMORY_DIR: "  /env/memory " }, cwd })).toBe("/env/memory");
  expect(memoryBase({ env: { AUTOBYTEUS_MEMORY_DIR: "  " }, fallback, cwd })).toBe("/fallback/memory");
  expect(memoryBase({ cwd })).toBe(join("/work-dir", "memory"));
});

test("an agent and a member of a team each have a folder of their own", () => {
  expect(agentDirectory("/base/memory", "agent-123")).toBe("/base/memory/agents/agent-123");
  expect(memberDirectory("/base/memory", "team-1", "run-2")).toBe("/base/memory/agent_teams/team-1/run-2");
});

test.each(["", ".", "..", "a/b", "a\\b", "a\0b"])("an id like %j names no folder", (id) => {
  expect(() => agentDirectory("/base", id)).toThrow(/is not a valid agent folder name/);
});

test("runs are listed by name, of teams too, and what is no folder is left out", () => {
  inFolder((base) => {
    for (const path of ["agents/b-agent", "agents/a-agent", "agents/.hidden", "agent_teams/t/m2", "agent_teams/t/m1"])
      mkdirSync(join(base, path), { recursive: true });
    writeFileSync(join(base, "agents", "file"), "");
    expect(listRuns(base).map(({ runId, teamRunId }) => [runId, teamRunId])).toEqual([
      ["a-agent", null],
      ["b-agent", null],
      ["m1", "t"],
      ["m2", "t"],
    ]);
  });
});

test("what is not there is empty, warns of nothing, and is not made", () => {
  inFolder((base) => {
    const path = agentDirectory(join(base, "memory"), "nobody");
    const found = readDirectory(path);
    expect([found.traces, found.archived, found.episodic, found.semantic, found.problems, found.warnings]).toEqual(
      Array.from({ length: 6 }, () => []),
    );
    expect([found.snapshot, found.generation]).toEqual([null, null]);
    expect(listRuns(join(base, "memory"))).toEqual([]);
    expect(existsSync(join(base, "memory"))).toBe(false);
  });
});

test("bad lines are left out of a list of objects, and bad JSON or a list is no object", () => {
  expect(readObjects(Buffer.from('{"a":1}\n{\n{"b":2}\n\n'))).toEqual([{ a: 1 }, { b: 2 }]);
  expect(readObject(Buffer.from("[1]"))).toBeNull();
  expect(readObject(Buffer.from("{"))).toBeNull();
});

test("memory opened for an agent lies where its design says, and is made by the first write", () => {
  inFolder((base) => {
    const env = { AUTOBYTEUS_MEMORY_DIR: join(base, "elsewhere") };
    const store = openMemory({ agentId: "agent-123", env, cwd: base, host: testHost() });
    const path = join(base, "elsewhere", "agents", "agent-123");
    expect(existsSync(path)).toBe(false);
    store.add([{ id: "rt_1", ts: 1, turnId: "turn_0001", seq: 1, traceType: "user", content: "x", sourceEvent: "e" }]);
    store.close();
    expect([...bytesIn(path).keys()]).toEqual(["raw_traces.jsonl"]);
  });
});

test("memory opened with an agent and a host alone lies below where the process runs", () => {
  inFolder((base) => {
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(base);
    const store = openMemory({ agentId: "harbour", env: {}, host: testHost() });
    cwd.mockRestore();
    expect(store.path).toBe(join(base, "memory", "agents", "harbour"));
    store.close();
  });
});

test("nothing of ours lies where Autobyteus looks for runs", () => {
  expect(defaultState("/m/agents/one")).toBe("/m/.artifacts/memory");
  expect(defaultState("/m/agent_teams/team/one")).toBe("/m/.artifacts/memory");
  expect(defaultState("/m/other")).toBe("/m/.artifacts/memory");
  expect(stateFolder("/s", "/m/agents/one")).toBe(stateFolder("/s", "/m/agents/../agents/one"));
  expect(stateFolder("/s", "/m/agents/one")).not.toBe(stateFolder("/s", "/m/agents/two"));
});
