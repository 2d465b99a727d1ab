// The database of Hermes, in tables of now and of its first release. Synthetic.
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { showSession, summaryOfSession } from "../sessions/show-session.ts";
import { importPaths } from "./import-paths.ts";
import { withDatabase, type Fill } from "./testing-database.ts";

async function shown(archive: Archive, name: string) {
  const { id, modelCalls } = summaryOfSession(archive, findSession(archive, name));
  const { events } = await listEvents(archive, id, { from: 1, limit: 500 });
  return { calls: modelCalls.own, events };
}

test("what a compaction keeps is written once more, and is read once; tasks beside it are in the sum", async () => {
  const say = (id: number, role: string, content: string, at: number, more = "0, 1, 0"): string =>
    `INSERT INTO messages VALUES (${id}, '20260901_1', '${role}', '${content}', NULL, NULL, NULL, ${at}, 'stop', NULL, ${more});`;
  const fill: Fill = (sqlite) =>
    void sqlite.exec(`
      CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT, system_prompt_hash TEXT,
        parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, input_tokens INTEGER, output_tokens INTEGER,
        cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER, cwd TEXT, git_branch TEXT, estimated_cost_usd REAL,
        actual_cost_usd REAL, title TEXT, title_source TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT,
        tool_name TEXT, timestamp REAL, finish_reason TEXT, reasoning TEXT, _compressed_summary INTEGER, active INTEGER, compacted INTEGER);
      CREATE TABLE session_model_usage (session_id TEXT, model TEXT, task TEXT, input_tokens INTEGER, output_tokens INTEGER,
        cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER, estimated_cost_usd REAL, actual_cost_usd REAL);
      INSERT INTO system_prompts VALUES ('h1', 'Count birds.');
      INSERT INTO sessions VALUES ('20260901_1', 'cli', 'm1', '{}', NULL, 'h1', NULL, 1788257700, NULL, NULL, 100, 9, 50, 0, 0, '/skuas', NULL, 0.5,
        NULL, 'Skuas', 'user');
      INSERT INTO session_model_usage VALUES ('20260901_1', 'm1', '', 100, 9, 50, 0, 0, 0.5, 0), ('20260901_1', 'm2', 'title', 7, 1, 0, 0, 0, 0.25, 0);
      ${say(1, "user", "Skuas?", 1_788_257_701.5, "0, 0, 1")} ${say(2, "assistant", '{ "n":  2 }', 1_788_257_702.5, "0, 0, 1")}
      ${say(3, "user", "[CONTEXT COMPACTION] Two.", 1_788_257_703, "1, 1, 0")} ${say(4, "assistant", '{ "n":  2 }', 1_788_257_702.5)}
      ${say(5, "user", "More?", 1_788_257_704)}`);
  await withDatabase("state.db", fill, async (archive, path, sqlite) => {
    await importPaths(archive, [path]);
    const { events, calls } = await shown(archive, "hermes:20260901_1");
    expect(calls).toBe(1);
    expect(
      events.map(({ body }) => ("text" in body && body.type !== "meta" ? `${body.type} ${body.text}` : body.type)),
    ).toEqual([
      ...[
        "meta",
        "system Count birds.",
        "user Skuas?",
        'assistant { "n":  2 }',
        "compaction [CONTEXT COMPACTION] Two.",
      ],
      ...["user [CONTEXT COMPACTION] Two.", "user More?", "meta"],
    ]);
    expect((await showSession(archive, "hermes:20260901_1")).title).toBe("Skuas");
    sqlite.exec(say(6, "assistant", "None.", 1_788_257_705));
    await importPaths(archive, [path]);
    expect(await shown(archive, "hermes:20260901_1")).toMatchObject({ calls: 2 });
  });
});

test("tables of its first release", async () => {
  const fill: Fill = (sqlite) =>
    void sqlite.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at REAL NOT NULL, input_tokens INTEGER);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT, timestamp REAL);
      INSERT INTO sessions VALUES ('old', 'telegram', 1772323200, 5);
      INSERT INTO messages VALUES (1, 'old', 'user', 'Gull?', NULL, 1772323201), (2, 'old', 'assistant', NULL, NULL, 1772323202);`);
  await withDatabase("state.db", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    const { events, calls } = await shown(archive, "hermes:old");
    expect({ types: events.map(({ type }) => type), calls }).toEqual({
      types: ["meta", "user", "meta", "meta"],
      calls: 1,
    });
  });
});
