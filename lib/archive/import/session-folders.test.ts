// Sessions that lie in folders with what stands beside them, and their sub-agents below them, as they are found and read: Vibe's and CodeBuddy's.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { callsOf } from "../base/session-rows.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FORMATS = join(import.meta.dirname, "../../formats");
const fixture = (name: string): string => readFileSync(join(FORMATS, "fixtures", name), "utf8");
const META = readFileSync(join(FORMATS, "fixtures-beside/vibe/synthetic-meta.json"), "utf8");
const metaOf = (more: object): string => JSON.stringify({ ...(JSON.parse(META) as object), ...more });

function sessionsOf({ sqlite }: Archive) {
  const columns = ["pk", "parent_pk", "native_id", "relation", "agent_name"] as const;
  const rows = select(sqlite, "sessions", columns, "ORDER BY native_id").all();
  return rows.map(({ parent_pk, native_id, relation, agent_name }) => ({
    ...{ name: native_id, relation, agent: agent_name },
    parent: rows.find(({ pk }) => pk === parent_pk)?.native_id ?? null,
  }));
}

const VIBE = "vibe:7b1e0000-0000-4000-8000-0000000000";
const uuidOf = (end: string): string => `${VIBE}${end}`.replace("vibe:", "");

test("a folder of Vibe's is one session, and its sub-agent's folder one below it", () =>
  inArchive(async (archive, logs) => {
    const folder = ".vibe/logs/session/session_20260901_100000_7b1e0000";
    const sub = `${folder}/agents/explore_20260901_100100_7b1e0000`;
    put(logs, `${folder}/messages.jsonl`, fixture("vibe-synthetic-session.jsonl"));
    put(logs, `${folder}/meta.json`, META);
    put(logs, `${sub}/messages.jsonl`, fixture("vibe-synthetic-subagent.jsonl"));
    const about = { session_id: uuidOf("bb"), parent_session_id: uuidOf("aa"), agent_profile: { name: "explore" } };
    put(logs, `${sub}/meta.json`, metaOf({ ...about, child_sessions: [], title: "Find lists" }));
    await importPaths(archive, [logs]);
    expect(sessionsOf(archive)).toEqual([
      { name: `${VIBE}aa`, relation: "root", parent: null, agent: "Mistral Vibe" },
      { name: `${VIBE}bb`, relation: "subagent", parent: `${VIBE}aa`, agent: "explore" },
    ]);
    const { cost, title } = await showSession(archive, `${VIBE}aa`);
    expect(title).toBe("Eiders (synthetic)");
    expect(cost.reported).toMatchObject({
      usd: 0.003_84,
      usage: { inputUncached: 5000, cacheRead: 4000, output: 120 },
    });
  }));

test("a session of Vibe's that is read before the file beside it is there keeps one row, under its own name", () =>
  inArchive(async (archive, logs) => {
    const folder = ".vibe/logs/session/session_20260901_100000_7b1e0000";
    const [first, ...rest] = fixture("vibe-synthetic-session.jsonl").split("\n");
    put(logs, `${folder}/messages.jsonl`, `${first}\n`);
    await importPaths(archive, [logs]);
    expect(sessionsOf(archive)).toMatchObject([{ name: "vibe:session_20260901_100000_7b1e0000" }]);
    put(logs, `${folder}/messages.jsonl`, [first, ...rest].join("\n"));
    put(logs, `${folder}/meta.json`, META);
    await importPaths(archive, [logs]);
    expect(sessionsOf(archive)).toMatchObject([{ name: `${VIBE}aa` }]);
    expect((await showSession(archive, `${VIBE}aa`)).cost.reported).toMatchObject({ usage: { output: 120 } });
  }));

const CODE = "codebuddy:c0de0000-0000-4000-8000-0000000000aa";

test("a session of CodeBuddy's has its sub-agent below it, and each answer counts once", () =>
  inArchive(async (archive, logs) => {
    const folder = ".codebuddy/projects/home-ada-fjord";
    const id = CODE.replace("codebuddy:", "");
    put(logs, `${folder}/${id}.jsonl`, fixture("codebuddy-synthetic-session.jsonl"));
    put(logs, `${folder}/${id}/subagents/agent-b1rd.jsonl`, fixture("codebuddy-synthetic-subagent.jsonl"));
    await importPaths(archive, [logs]);
    expect(sessionsOf(archive)).toMatchObject([
      { name: CODE, relation: "root", parent: null, agent: "CodeBuddy" },
      { name: `${CODE}/agent-b1rd`, relation: "subagent", parent: CODE },
    ]);
    const [{ pk } = { pk: 0 }] = select(archive.sqlite, "sessions", ["pk"], "WHERE native_id = ?").all(CODE);
    const calls = callsOf(archive, pk);
    expect(calls).toMatchObject([
      { uncached: 5000, cacheRead: 4000, output: 120 },
      { uncached: 100, cacheRead: 1344, output: 47 },
      { uncached: 500, cacheRead: 9000, output: 20 },
      { uncached: 700, cacheRead: 0, output: 8 },
    ]);
  }));
