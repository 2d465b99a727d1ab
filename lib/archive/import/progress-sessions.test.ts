// A call is counted once: where a sub-agent's file, its parent's progress lines and copied sidechains tell of the same one.
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { readAgain } from "./read-again.ts";

const PARENT = idOf("the parent");
const FORK = idOf("the fork");

/** A `progress` line of the parent that shows one message of an agent. */
const progress = (label: string, second: number, agentId: string, message: Rec, sessionId = PARENT): Rec => ({
  ...prompt(`line ${label} ${sessionId}`, second, ""),
  type: "progress",
  message: undefined,
  sessionId,
  parentToolUseID: `task ${agentId}`,
  data: { type: "agent_progress", agentId, prompt: "Look", message },
});

/** What an agent said: its records, as its own file has them. */
const agentRecords = (agentId: string, calls: number): Rec[] => [
  prompt(`${agentId} p`, 10, "Look around", { isSidechain: true, agentId, sessionId: PARENT }),
  ...Array.from({ length: calls }, (_, n) => n).flatMap((n) => [
    answer(
      `${agentId} a${n}`,
      11 + n * 2,
      `${agentId}${n}`,
      asks(`${agentId} t${n}`, "Read", { file_path: `/f${n}` }),
      {
        usage: used(3, 100 * n, 50, 9),
        stop: null,
        more: { isSidechain: true, agentId, sessionId: PARENT },
      },
    ),
    {
      ...result(`${agentId} r${n}`, 12 + n * 2, `${agentId} t${n}`, `file ${n}`),
      isSidechain: true,
      agentId,
      sessionId: PARENT,
    },
  ]),
];

const bare = ({ type, timestamp, message, requestId, uuid }: Rec): Rec => ({
  type,
  timestamp,
  message,
  requestId,
  uuid,
});

const parentRecords = (agents: readonly string[], sessionId = PARENT): Rec[] => [
  { ...prompt("start", 0, "Begin"), sessionId },
  ...agents.flatMap((agentId) => [
    {
      ...answer(`ask ${agentId}`, 5, `ask ${agentId}`, asks(`task ${agentId}`, "Task", { prompt: "Look around" }), {
        usage: used(10, 0, 1000, 20),
        stop: "tool_use",
      }),
      sessionId,
    },
    ...agentRecords(agentId, 3).map((record, n) =>
      progress(`${agentId} ${n}`, 10 + n, agentId, bare(record), sessionId),
    ),
    { ...result(`done ${agentId}`, 30, `task ${agentId}`, "Seen"), sessionId },
  ]),
  { ...answer("end", 40, "end", text("Done"), { usage: used(5, 1000, 10, 30) }), sessionId },
];

const all = async (archive: Archive): Promise<SessionSummary[]> => {
  const ids = archive.sqlite.prepare("SELECT id FROM sessions ORDER BY native_id").pluck().all() as string[];
  return Promise.all(ids.map((id) => showSession(archive, id)));
};
const namesOf = (sessions: readonly SessionSummary[]): string[] =>
  sessions.map(({ nativeId }) => nativeId.replace("claude-code:", "").replace(PARENT, "S").replace(FORK, "F"));

test("calls that only progress lines tell of are a session of their own, under the call that started it", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${PARENT}.jsonl`, jsonl(...parentRecords(["x"])));
    const { files } = await importPaths(archive, [logs]);
    const [parent, agent] = await all(archive);
    expect(files[0]).toMatchObject({ records: 11, errors: [] });
    expect(files[0]!.sessions).toEqual([parent!.id, agent!.id]);
    // The parent is what it was: two calls of its own, and a line of its own for each message that it was shown.
    expect(parent).toMatchObject({
      from: null,
      modelCalls: { own: 2, inherited: 0 },
      usage: { inputUncached: 15, cacheRead: 1000, cacheWrite: 1010, output: 50 },
      toolCalls: 1,
      records: 11,
      children: 1,
    });
    // By hand: three calls of 3 new, 0 + 100 + 200 read, 50 written and at least 9 of output each.
    expect(agent).toMatchObject({
      from: "progress",
      relation: "subagent",
      parentId: parent!.id,
      modelCalls: { own: 3, inherited: 0 },
      usage: { inputUncached: 9, cacheRead: 300, cacheWrite: 150, output: 27 },
      usageQuality: "lower-bound",
      toolCalls: 3,
      toolResults: 3,
      turns: 1,
      records: 0,
      title: "Look around",
    });
    expect(agent!.parentToolCallSeq).toBeGreaterThan(0);
    expect(agent!.quality).toContain("Read from progress lines of its parent; its own file was not imported.");
    expect((await check(archive)).problems).toEqual([]);
  }));

test.each(["the parent first", "the agent's file first", "both at once"])(
  "where the agent's own file is there, its progress lines yield nothing: %s",
  (order) =>
    inArchive(async (archive, logs) => {
      const parent = put(logs, `${PARENT}.jsonl`, jsonl(...parentRecords(["x", "y"])));
      const own = put(logs, `${PARENT}/subagents/agent-x.jsonl`, jsonl(...agentRecords("x", 4)));
      if (order === "the parent first") await importPaths(archive, [parent]);
      if (order === "the agent's file first") await importPaths(archive, [own]);
      await importPaths(archive, [logs]);
      const sessions = await all(archive);
      expect(namesOf(sessions)).toEqual(["S", "S/x", "S/y.progress"]);
      expect(sessions.map(({ modelCalls, from }) => [modelCalls.own, modelCalls.inherited, from])).toEqual([
        [2 + 1, 0, null],
        [4, 0, null],
        [3, 0, "progress"],
      ]);
      expect(sessions[1]!.parentToolCallSeq).toBeGreaterThan(0);
    }),
);

type Step = { readonly file: "parent" | "x" | "fork" | "snapshot"; readonly share: number };

test("in whatever order and pieces a parent, a fork of it, an older copy and the agent's file come, the archive is the same", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          file: fc.constantFrom("parent", "x", "fork", "snapshot"),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        {
          maxLength: 8,
        },
      ) as fc.Arbitrary<Step[]>,
      fc.subarray(["parent", "x", "fork", "snapshot"] as const, { minLength: 1 }),
      (steps, present) =>
        inFolder(async (dir) => {
          const logs = join(dir, "logs");
          const lines = {
            parent: parentRecords(["x", "y"]),
            x: agentRecords("x", 3),
            // A fork writes its own session id, and keeps ids of records and messages.
            fork: [...parentRecords(["x", "y"], FORK), { ...prompt("on", 60, "Go on"), sessionId: FORK }],
            snapshot: parentRecords(["x", "y"]).slice(0, 6),
          };
          const names = {
            parent: `${PARENT}.jsonl`,
            x: `${PARENT}/subagents/agent-x.jsonl`,
            fork: `${FORK}.jsonl`,
            snapshot: `older/${PARENT}.jsonl`,
          };
          const grown = await withArchive(join(dir, "grown"), async (archive) => {
            const reached = new Map<string, number>();
            for (const { file, share } of steps) {
              if (!present.includes(file)) continue;
              const count = Math.max(reached.get(file) ?? 1, Math.ceil(share * lines[file].length));
              reached.set(file, count);
              const path = put(logs, names[file], jsonl(...lines[file].slice(0, count)));
              await importPaths(archive, [path]);
            }
            for (const file of present) put(logs, names[file], jsonl(...lines[file]));
            await importPaths(archive, [logs]);
            await importPaths(archive, [logs]);
            await readAgain(archive);
            return dumpOf(archive, dir);
          });
          await withArchive(join(dir, "fresh"), async (archive) => {
            await importPaths(archive, [logs]);
            const fresh = dumpOf(archive, dir);
            for (const table of Object.keys(fresh)) expect(grown[table], table).toEqual(fresh[table]);
            // Each call is somebody's own, once: two of the parent and its end, three of each agent.
            const sessions = await all(archive);
            const own = sessions.reduce((sum, { modelCalls }) => sum + modelCalls.own, 0);
            const hasParent = present.includes("parent") || present.includes("fork");
            const some = present.includes("snapshot") ? 4 : 0;
            if (hasParent) expect(own).toBe(3 + 3 + 3);
            else expect(own).toBeGreaterThanOrEqual(present.includes("x") ? 3 : some > 0 ? 2 : 0);
          });
        }),
    ),
    { numRuns: 40 },
  ));

test("an agent's file that turns out to be another's gives its progress lines back", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${PARENT}.jsonl`, jsonl(...parentRecords(["x"])));
    const own = put(logs, `${PARENT}/subagents/agent-x.jsonl`, jsonl(...agentRecords("x", 3)));
    await importPaths(archive, [logs]);
    expect(namesOf(await all(archive))).toEqual(["S", "S/x"]);
    rmSync(own);
    put(logs, `${PARENT}/subagents/agent-x.jsonl`, jsonl(...agentRecords("z", 1)));
    await importPaths(archive, [logs]);
    await readAgain(archive);
    const sessions = await all(archive);
    expect(namesOf(sessions)).toEqual(["S", "S/x.progress", "S/x~earlier1", "S/z"]);
    // What the file held before is an earlier version, whose calls are counted elsewhere.
    expect(sessions.map(({ modelCalls }) => [modelCalls.own, modelCalls.inherited])).toEqual([
      [2, 0],
      [3, 0],
      [0, 3],
      [1, 0],
    ]);
  }));

/** A session of five calls, and a side question that begins with copies of two of them, under record ids of their own. */
const replayed = (isInline: boolean): { parent: Rec[]; side: Rec[] } => {
  const parent = Array.from({ length: 5 }, (_, n) => n).flatMap((n) => [
    { ...prompt(`p${n}`, n * 10, `Step ${n}`), sessionId: PARENT },
    { ...answer(`a${n}`, n * 10 + 1, `${n}`, text(`On ${n}`), { usage: used(1, 10, 100, 5) }), sessionId: PARENT },
  ]);
  const side = parent.slice(0, 4).map((record, n) => ({
    ...record,
    uuid: idOf(`copy ${n}`),
    isSidechain: true,
    agentId: "aside_question-1",
  }));
  return isInline ? { parent: [...parent, ...side], side: [] } : { parent, side };
};

test.each([true, false])("a sidechain that replays its parent's calls counts them once, inline: %s", (isInline) =>
  inArchive(async (archive, logs) => {
    const { parent, side } = replayed(isInline);
    if (side.length > 0) put(logs, `${PARENT}/subagents/agent-aside_question-1.jsonl`, jsonl(...side));
    put(logs, `${PARENT}.jsonl`, jsonl(...parent));
    await importPaths(archive, [logs]);
    const sessions = await all(archive);
    // 7 calls where 5 are true: the two copies are inherited.
    expect(sessions.map(({ modelCalls }) => modelCalls)).toEqual([
      { own: 5, inherited: 0 },
      { own: 0, inherited: 2 },
    ]);
    expect(sessions[1]).toMatchObject({ usage: { cacheWrite: 0 }, usageWithInherited: { cacheWrite: 200 } });
    // Its page says with whom it shares them.
    expect(sessions[1]!.lineage).toEqual([{ id: sessions[0]!.id, relation: "origin", events: 0, calls: 2 }]);
    const rows = archive.sqlite.prepare("SELECT sum(usd) FILTER (WHERE inherited = 0) AS usd FROM model_calls").get();
    // 5 × (1 + 5) tokens at the test's dollar a million.
    expect(rows).toEqual({ usd: expect.closeTo(30 / 1e6, 12) as number });
  }),
);

test("lines that the client wrote itself are no calls, in progress lines too", () =>
  inArchive(async (archive, logs) => {
    const synthetic = answer("s", 3, "s", text("API Error"), { model: "<synthetic>", usage: used(9, 9, 9, 9) });
    put(
      logs,
      `${PARENT}.jsonl`,
      jsonl(
        { ...prompt("p", 1, "Go"), sessionId: PARENT },
        { ...synthetic, sessionId: PARENT },
        progress("s", 4, "x", bare({ ...synthetic, uuid: idOf("other") })),
      ),
    );
    await importPaths(archive, [logs]);
    const sessions = await all(archive);
    expect(sessions.map(({ modelCalls, usageWithInherited }) => [modelCalls.own, usageWithInherited.output])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  }));
