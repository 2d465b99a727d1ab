import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { MIGRATIONS } from "./migrations.ts";

test("an archive of the version before keeps its tool calls, and those of agents are found by an index", () => {
  const sqlite = new Database(":memory:");
  for (const sql of MIGRATIONS.slice(0, 4)) sqlite.exec(sql);
  sqlite.exec("INSERT INTO sessions (id, native_id, format) VALUES ('s_1', 'x:1', 'x')");
  const call = sqlite.prepare(
    "INSERT INTO tool_interactions (session_pk, tool_name, call_seq, status, started_at) VALUES (1, ?, ?, 'success', ?)",
  );
  const names = ["artifact_jq", "mcp__store__artifact_grep", "Bash", "artifact_read"];
  for (const [i, name] of names.entries()) call.run(name, i, i);
  sqlite.exec(MIGRATIONS[4]!);
  const query = `SELECT tool_name FROM tool_interactions
    WHERE instr(tool_name, 'artifact_jq') > 0 OR instr(tool_name, 'artifact_grep') > 0 ORDER BY started_at DESC`;
  expect(sqlite.prepare(query).pluck().all()).toEqual(["mcp__store__artifact_grep", "artifact_jq"]);
  expect(JSON.stringify(sqlite.prepare(`EXPLAIN QUERY PLAN ${query}`).all())).toContain("tool_interactions_queries");
  expect(sqlite.prepare("SELECT count(*) FROM tool_interactions").pluck().get()).toBe(names.length);

  const program = sqlite.prepare(
    "INSERT INTO playground_programs (id, kind, name, program, options, fits, created_at) VALUES (?, ?, ?, '.', '{}', 'any', 0)",
  );
  program.run("prg_1", "jq", "same");
  program.run("prg_2", "grep", "same");
  program.run("prg_3", "jq", null);
  program.run("prg_4", "jq", null);
  expect(() => program.run("prg_5", "jq", "same")).toThrow(/UNIQUE/);
  sqlite.close();
});
