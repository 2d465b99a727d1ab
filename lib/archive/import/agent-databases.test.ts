// Databases of agents, each with the tables of its own release, a log that its writer holds open, and rows that are packed. Synthetic.
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { restoreSession } from "../keep/restore-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { showSession, summaryOfSession } from "../sessions/show-session.ts";
import { listSources } from "../sources/list-sources.ts";
import { reportedCalls } from "../load/reported-calls.ts";
import { put } from "../testing-archive.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import { importPaths } from "./import-paths.ts";
import { withDatabase, type Fill } from "./testing-database.ts";

async function shown(archive: Archive, name: string) {
  const pk = findSession(archive, name);
  const { usage, modelCalls, toolResults } = summaryOfSession(archive, pk);
  const { id } = summaryOfSession(archive, pk);
  const { events } = await listEvents(archive, id, { from: 1, limit: 500 });
  return { input: usage.inputUncached, cache: usage.cacheRead, calls: modelCalls.own, toolResults, events };
}

const packed = (value: unknown): Buffer => zstdCompressSync(Buffer.from(JSON.stringify(value)));

const OPENCLAW = `
  CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, label TEXT, display_name TEXT);
  CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT,
    created_at INTEGER, updated_at INTEGER, channel TEXT, spawned_by TEXT, parent_session_key TEXT, display_name TEXT);
  CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
    event_utf8_bytes INTEGER, navigation_json TEXT);`;

test("OpenClaw: entries are read from rows, packed ones too, and new rows are added", async () => {
  const at = Date.UTC(2026, 8, 1);
  const entry = (n: number, more: object): object => ({
    ...{ id: `e${n}`, parentId: n === 1 ? null : `e${n - 1}`, timestamp: new Date(at + n * 1000).toISOString() },
    ...more,
  });
  const answer = (n: number): object =>
    entry(n, {
      type: "message",
      message: {
        ...{ role: "assistant", content: [{ type: "text", text: `Answer ${n}` }], model: "m1", provider: "p" },
        usage: { input: 100, output: 5, cacheRead: 900, cacheWrite: 0, totalTokens: 1005 },
      },
    });
  const add = (sqlite: Database.Database, seq: number, value: object, isPacked = false): void =>
    void sqlite
      .prepare("INSERT INTO transcript_events VALUES ('s-one', ?, ?, ?, ?, ?, NULL)")
      .run(seq, isPacked ? null : JSON.stringify(value), at + seq, isPacked ? packed(value) : null, 10);
  const fill: Fill = (sqlite) => {
    sqlite.exec(OPENCLAW);
    sqlite.exec(`INSERT INTO session_nodes VALUES ('agent:main:main', 's-one', 'Harbour', NULL);
      INSERT INTO session_windows VALUES ('s-one', 'agent:main:main', NULL, 'initial', ${at}, ${at}, NULL, NULL, NULL, NULL);`);
    add(sqlite, 0, { type: "session", version: 4, id: "s-one", timestamp: new Date(at).toISOString(), cwd: "/reef" });
    add(sqlite, 1, entry(1, { type: "message", message: { role: "user", content: "Open?" } }));
    add(sqlite, 2, answer(2), true);
  };
  await withDatabase("openclaw-agent.sqlite", fill, async (archive, path, sqlite) => {
    await importPaths(archive, [path]);
    expect(await shown(archive, "openclaw:s-one")).toMatchObject({ input: 100, cache: 900, calls: 1 });
    add(sqlite, 3, answer(3));
    const again = await importPaths(archive, [path]);
    expect(again.files.map(({ status }) => status)).toContain("grown");
    expect(await shown(archive, "openclaw:s-one")).toMatchObject({ input: 200, calls: 2 });
    await expect(restoreSession(archive, { session: "openclaw:s-one", roots: [] })).rejects.toThrow(
      /in a database of OpenClaw/,
    );
  });
});

test("a database of a release to come says what it lacks", async () => {
  const fill: Fill = (sqlite) =>
    void sqlite.exec("CREATE TABLE session_windows (session_id TEXT); CREATE TABLE transcript_events (seq INTEGER);");
  await withDatabase("openclaw-agent.sqlite", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    const [source] = (await listSources(archive, { limit: 9, offset: 0 })).sources;
    expect(source).toMatchObject({ status: "failed" });
    expect(source!.reason).toMatch(/"session_windows" has no session_key, .*This version of OpenClaw is not known/);
  });
});

test("Goose: a request of the ledger belongs to the last answer before it", async () => {
  const say = (id: number, role: string, text: string, at: number): string =>
    `INSERT INTO messages VALUES (${id}, 'm${id}', '20260202_1', '${role}', '[{"type":"text","text":"${text}"}]', ${at}, '{}');`;
  const spend = (id: number, at: number, input: number): string =>
    `INSERT INTO usage_ledger VALUES (${id}, '20260202_1', ${at}, 'm', ${input}, 5, ${input + 5}, 0, 0, 0.5, 'provider', 0);`;
  const fill: Fill = (sqlite) =>
    void sqlite.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN, session_type TEXT, working_dir TEXT,
        created_at TIMESTAMP, updated_at TIMESTAMP, accumulated_cost REAL, provider_name TEXT, model_config_json TEXT, parent_session_id TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);
      CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY, session_id TEXT, created_timestamp INTEGER, model TEXT, input_tokens INTEGER,
        output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT,
        is_compaction INTEGER);
      INSERT INTO sessions VALUES ('20260202_1', 'Gulls', '', 1, 'user', '/gulls', '2026-02-02 02:40:00', '2026-02-02 02:41:00', 1, 'p', '{}', NULL);
      ${say(1, "user", "Count", 100)} ${say(2, "assistant", "One", 102)} ${say(3, "user", "More", 110)} ${say(4, "assistant", "Two", 112)}
      ${spend(1, 103, 10)} ${spend(2, 113, 20)} ${spend(3, 113, 30)}`);
  await withDatabase("sessions.db", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    const { events, ...counts } = await shown(archive, "goose:20260202_1");
    expect(counts).toMatchObject({ input: 60, calls: 3 });
    expect(events.flatMap(({ body, call }) => (body.type === "assistant" ? [[body.text, call]] : []))).toEqual([
      ["One", 1],
      ["Two", 2],
    ]);
  });
});

test("Goose: sessions from before the ledger keep their sums, and the cache is a part of the input without a total too", async () => {
  const fill: Fill = (sqlite) =>
    void sqlite.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP,
        accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER,
        accumulated_cache_read_tokens INTEGER, accumulated_cost REAL, model_config_json TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);
      CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY, session_id TEXT, created_timestamp INTEGER, model TEXT, input_tokens INTEGER,
        output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT,
        is_compaction INTEGER);
      INSERT INTO sessions VALUES ('old', 'Gulls', '/gulls', '2026-02-02 02:40:00', '2026-02-02 02:41:00', 1050, 1000, 50, NULL, 0.25,
          '{"model_name":"gpt-5.5"}'),
        ('new', 'Terns', '/gulls', '2026-08-02 02:40:00', '2026-08-02 02:41:00', 4100, 4000, 100, 3000, 9, '{"model_name":"gpt-5.5"}');
      INSERT INTO messages VALUES (1, 'm1', 'old', 'assistant', '[{"type":"text","text":"One"}]', 100, '{}'),
        (2, 'm2', 'new', 'assistant', '[{"type":"text","text":"Two"}]', 100, '{}'),
        (3, 'm3', 'both', 'assistant', '[{"type":"text","text":"Old"}]', 100, '{}'),
        (4, 'm4', 'both', 'assistant', '[{"type":"text","text":"New"}]', 200, '{}');
      INSERT INTO sessions VALUES ('both', 'Gannets', '/gulls', '2026-02-02 02:40:00', '2026-08-02 02:41:00', NULL, NULL, NULL, NULL, NULL,
        '{"model_name":"gpt-5.5"}');
      INSERT INTO usage_ledger VALUES (7, 'both', 150, 'gpt-5.5', 9000000, 40000, 9040000, 0, 0, 12, 'carried_forward', 0),
        (8, 'both', 201, 'gpt-5.5', 4000, 100, NULL, 3000, NULL, 0.5, 'provider', 0);
      INSERT INTO usage_ledger VALUES (1, 'new', 101, 'gpt-5.5', 4000, 100, NULL, 3000, NULL, 0.5, 'provider', 0);`);
  await withDatabase("sessions.db", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    expect(await shown(archive, "goose:new")).toMatchObject({ input: 1000, cache: 3000, calls: 1 });
    // What an older session had used when the ledger began is a sum, and no request: its answers are calls without usage.
    expect(await shown(archive, "goose:both")).toMatchObject({ input: 1000, cache: 3000, calls: 2 });
    const spent = async (name: string) => (await showSession(archive, name)).cost;
    expect(await spent("goose:both")).toMatchObject({
      reported: { usd: 12.5, usage: { inputUncached: 9_001_000, output: 40_100 } },
    });
    expect(await spent("goose:old")).toMatchObject({
      reported: { usd: 0.25, usage: { inputUncached: 1000, output: 50 } },
    });
    expect(await spent("goose:new")).toMatchObject({ reported: { usd: 0.5 } });
  });
});

test("Kiro: a conversation under two folders is one, its turns are rows, and other tables are left", async () => {
  const value = (id: string, prompts: readonly string[]): string =>
    JSON.stringify({
      ...{ conversation_id: id, model_info: { model_id: "claude-sonnet-4", context_window_tokens: 200_000 } },
      history: prompts.map((prompt, i) => ({
        user: { additional_context: "", content: { Prompt: { prompt } }, timestamp: "2026-01-05T10:00:00Z" },
        assistant: { Response: { message_id: `${id}-${i}`, content: `So ${prompt}` } },
        request_metadata: { stream_end_timestamp_ms: 1_767_607_205_000, uncached_input_tokens: i === 0 ? null : 70 },
      })),
    });
  const fill: Fill = (sqlite) => {
    sqlite.exec(`CREATE TABLE auth_kv (key TEXT, value TEXT); INSERT INTO auth_kv VALUES ('token', 'secret');
      CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
      CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));`);
    const put = sqlite.prepare("INSERT INTO conversations_v2 VALUES (?, ?, ?, 1767607200000, ?)");
    put.run("/home/ada/old", "c1", value("c1", ["Auk"]), 1_767_607_201_000);
    put.run("/home/ada/new", "c1", value("c1", ["Auk", "Tern"]), 1_767_607_209_000);
    put.run("/home/ada/bad", "c2", "{not JSON", 1_767_607_201_000);
  };
  await withDatabase("data.sqlite3", fill, async (archive, path, sqlite) => {
    await importPaths(archive, [path]);
    const { events, ...counts } = await shown(archive, "kiro:c1");
    expect(counts).toMatchObject({ input: 70, calls: 2 });
    expect(events.flatMap(({ body }) => (body.type === "user" ? [body.text] : []))).toEqual(["Auk", "Tern"]);
    expect((await showSession(archive, "kiro:c1")).cwd).toBe("/home/ada/new");
    sqlite
      .prepare("UPDATE conversations_v2 SET value = ?, updated_at = ? WHERE key = '/home/ada/new'")
      .run(value("c1", ["Auk", "Tern", "Gull"]), 1_767_607_300_000);
    await importPaths(archive, [path]);
    expect(await shown(archive, "kiro:c1")).toMatchObject({ input: 140, calls: 3 });
  });
});

test("Amazon Q: conversations of early releases, a pair a turn", async () => {
  const pair = [
    { additional_context: "", content: { Prompt: { prompt: "Auk?" } } },
    { Response: { message_id: "m1", content: "Extinct." } },
  ];
  const fill: Fill = (sqlite) => {
    sqlite.exec("CREATE TABLE auth_kv (key TEXT, value TEXT); CREATE TABLE conversations (key TEXT, value TEXT)");
    sqlite
      .prepare("INSERT INTO conversations VALUES ('/home/ada/q', ?)")
      .run(JSON.stringify({ conversation_id: "q1", history: [pair] }));
  };
  await withDatabase("data.sqlite3", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    expect((await shown(archive, "kiro:q1")).events.map(({ type }) => type)).toEqual(["meta", "user", "assistant"]);
  });
});

test("Zed: beside a thread that is damaged the others are read", async () => {
  const thread = JSON.stringify({ title: "Quay", messages: [{ User: { id: "u1", content: [{ Text: "Which?" }] } }] });
  const fill: Fill = (sqlite) => {
    sqlite.exec("CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)");
    const put = sqlite.prepare("INSERT INTO threads VALUES (?, ?, ?, 'json', ?)");
    put.run("cut", "Cut", "2026-02-02T00:00:00Z", Buffer.from(thread.slice(0, 60)));
    put.run("whole", "Quay", "2026-02-02T00:00:01Z", Buffer.from(thread));
  };
  await withDatabase("threads.db", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    expect((await shown(archive, "zed:whole")).events.map(({ type }) => type)).toContain("user");
    expect((await showSession(archive, "zed:cut")).title).toBe("Cut");
  });
});

test("Cursor: beside a conversation that SQLite cannot read the others are read", async () => {
  const composer = (headers: readonly unknown[]): string =>
    JSON.stringify({ name: "Quay", createdAt: 1_770_000_000_000, fullConversationHeadersOnly: headers });
  const fill: Fill = (sqlite) => {
    sqlite.exec("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB)");
    const put = sqlite.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
    put.run("composerData:bad", composer(["no object"]));
    put.run("composerData:good", composer([{ bubbleId: "b1", type: 1 }]));
    put.run("bubbleId:good:b1", JSON.stringify({ type: 1, text: "Which quay?" }));
  };
  await withDatabase("state.vscdb", fill, async (archive, path) => {
    const { files } = await importPaths(archive, [path]);
    expect(files.filter(({ status }) => status === "failed")).toHaveLength(1);
    expect((await shown(archive, "cursor:good")).events.map(({ type }) => type)).toContain("user");
  });
});

test("Crush and Zed: parts and threads that are packed are read", async () => {
  const parts = [
    { type: "text", data: { text: "Thirty metres." } },
    { type: "finish", data: { reason: "end_turn" } },
  ];
  const crush: Fill = (sqlite) => {
    sqlite.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
        cost REAL, updated_at INTEGER, created_at INTEGER);
      CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts BLOB, model TEXT, created_at INTEGER, updated_at INTEGER,
        finished_at INTEGER);
      INSERT INTO sessions VALUES ('kelp', NULL, 'Kelp', 1, 2, 0.25, 1770000000, 1770000000);
      INSERT INTO messages VALUES ('m1', 'kelp', 'user', '[{"type":"text","data":{"text":"How long?"}}]', '', 1770000001, 1, NULL);`);
    sqlite
      .prepare("INSERT INTO messages VALUES ('m2', 'kelp', 'assistant', ?, 'm', 1770000002, 1, NULL)")
      .run(packed(parts));
  };
  await withDatabase("crush.db", crush, async (archive, path) => {
    await importPaths(archive, [path]);
    const { events, calls } = await shown(archive, "crush:kelp");
    expect(calls).toBe(1);
    expect(events.map(({ body }) => body.type)).toEqual(["meta", "user", "assistant", "meta", "meta"]);
    const { reported } = (await showSession(archive, "crush:kelp")).cost as Cost;
    expect(reported).toMatchObject({
      usd: 0.25,
      listUsd: null,
      differences: ["The agent counts $0.25, and no tokens."],
    });
  });
  const zed: Fill = (sqlite) => {
    sqlite.exec(
      "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB);",
    );
    const messages = [
      { User: { id: "u1", content: [{ Text: "How high?" }] } },
      { Agent: { content: [{ Text: "High." }], tool_results: {} } },
    ];
    const usage = { input_tokens: 70, output_tokens: 5, cache_read_input_tokens: 30 };
    const thread = { version: "0.3.0", messages, request_token_usage: { u1: usage }, cumulative_token_usage: usage };
    sqlite
      .prepare("INSERT INTO threads VALUES ('dunes', 'Dunes', '2026-02-02T02:40:00Z', 'zstd', ?)")
      .run(packed(thread));
  };
  await withDatabase("threads.db", zed, async (archive, path) => {
    await importPaths(archive, [path]);
    expect(await shown(archive, "zed:dunes")).toMatchObject({ input: 70, cache: 30, calls: 1 });
  });
});

test("Crush: an early sub-agent has the name of its call, and one that was made for a title is no session", async () => {
  const call = { type: "tool_call", data: { id: "call_9", name: "agent", input: "{}", finished: true } };
  const fill: Fill = (sqlite) => {
    sqlite.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
        cost REAL, updated_at INTEGER, created_at INTEGER);
      CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER, updated_at INTEGER,
        finished_at INTEGER);
      INSERT INTO sessions VALUES ('kelp', NULL, 'Kelp', 1, 2, 0.25, 1770000000, 1770000000),
        ('title-kelp', 'kelp', 'Generate a title', 0, 0, 0, 1770000000, 1770000000),
        ('call_9', 'kelp', 'New Agent Session', 0, 0, 0.125, 1770000003, 1770000003);`);
    const put = sqlite.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, 'm', ?, 1, 1770000009)");
    const text = (words: string): object => ({ type: "text", data: { text: words } });
    put.run("m1", "kelp", "user", JSON.stringify([text("How long?")]), 1_770_000_001);
    put.run("m2", "kelp", "assistant", JSON.stringify([call, { type: "finish", data: {} }]), 1_770_000_002);
    put.run("m3", "call_9", "user", JSON.stringify([text("Measure.")]), 1_770_000_003);
  };
  await withDatabase("crush.db", fill, async (archive, path) => {
    const { files } = await importPaths(archive, [path]);
    expect(files.flatMap(({ sessions }) => sessions)).toHaveLength(2);
    const [parent, agent] = await Promise.all(["kelp", "call_9"].map((id) => showSession(archive, `crush:${id}`)));
    expect(agent).toMatchObject({ parentId: parent!.id, relation: "subagent", parentToolCallSeq: 3 });
  });
});

const STORE = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, created_at TEXT, updated_at TEXT);
  CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn_index INTEGER,
    agent_id TEXT, model TEXT NOT NULL, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
    cache_write_tokens INTEGER, reasoning_tokens INTEGER, total_nano_aiu INTEGER, duration_ms INTEGER, created_at TEXT);`;
const COPILOT_ID = "20000000-0000-4000-8000-0000000000d1";

test("Copilot CLI: its store has each request, beside the session of the file and never added to it", async () => {
  const at = Date.UTC(2026, 8, 1, 10);
  const fill: Fill = (sqlite) => {
    sqlite.exec(STORE);
    const add = sqlite.prepare(
      `INSERT INTO assistant_usage_events (session_id, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, duration_ms, created_at)
       VALUES (?, 'gpt-5.2', ?, ?, ?, 100, 10, 2000, ?)`,
    );
    add.run(COPILOT_ID, 1600, 120, 400, new Date(at + 2000).toISOString());
    add.run(COPILOT_ID, 2600, 40, 1500, new Date(at + 9000).toISOString().replace("T", " ").replace("Z", ""));
    add.run("of-a-file-that-is-gone", 500, 5, 0, new Date(at).toISOString());
  };
  await withDatabase("session-store.db", fill, async (archive, path) => {
    const event = (type: string, ms: number, data: object): string =>
      `${JSON.stringify({ type, data, id: `${type}${ms}`, timestamp: new Date(at + ms).toISOString(), parentId: null })}\n`;
    const file = put(
      join(path, ".."),
      `session-state/${COPILOT_ID}/events.jsonl`,
      [
        event("session.start", 0, { sessionId: COPILOT_ID, copilotVersion: "1.0.64", context: { cwd: "/reef" } }),
        event("user.message", 1, { content: "Count the corals" }),
        event("assistant.message", 2000, { messageId: "m1", model: "gpt-5.2", content: "Two.", outputTokens: 120 }),
        event("assistant.message", 9000, { messageId: "m2", model: "gpt-5.2", content: "Done.", outputTokens: 40 }),
      ].join(""),
    );
    await importPaths(archive, [path, file], { final: true });
    const own = summaryOfSession(archive, findSession(archive, `copilot:${COPILOT_ID}`));
    expect(own).toMatchObject({ format: "copilot", modelCalls: { own: 2 }, usage: { output: 160, inputUncached: 0 } });
    const { calls, telemetry } = reportedCalls(archive, own.id);
    expect(calls.map(({ call, from, reported }) => [call, from, reported])).toEqual([
      [1, "telemetry", expect.objectContaining({ inputUncached: 1100, cacheRead: 400, cacheWrite: 100, output: 120 })],
      [2, "telemetry", expect.objectContaining({ inputUncached: 1000, cacheRead: 1500, cacheWrite: 100, output: 40 })],
    ]);
    expect(telemetry).toMatchObject({ requests: 2, unfiled: null });
    const gone = summaryOfSession(archive, findSession(archive, "copilot:of-a-file-that-is-gone"));
    expect(gone).toMatchObject({ modelCalls: { own: 1 }, usage: { inputUncached: 400, output: 5 } });
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.find((one) => one.path === `${path}#${COPILOT_ID}`)).toMatchObject({ status: "older copy" });
  });
});

const TRACES = `
  CREATE TABLE spans (span_id TEXT PRIMARY KEY, trace_id TEXT NOT NULL, parent_span_id TEXT, name TEXT NOT NULL, start_time_ms INTEGER NOT NULL,
    end_time_ms INTEGER NOT NULL, status_code INTEGER NOT NULL DEFAULT 0, status_message TEXT, operation_name TEXT, agent_name TEXT,
    conversation_id TEXT, request_model TEXT, response_model TEXT, input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER,
    reasoning_tokens INTEGER, tool_name TEXT, tool_call_id TEXT, chat_session_id TEXT);
  CREATE TABLE span_attributes (span_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT, PRIMARY KEY (span_id, key));`;

test("VS Code: what its extension reports of a chat stands beside the calls of the chat's own file", async () => {
  const at = Date.UTC(2026, 8, 1, 10);
  const fill: Fill = (sqlite) => {
    sqlite.exec(TRACES);
    const span = sqlite.prepare(
      `INSERT INTO spans (span_id, trace_id, name, start_time_ms, end_time_ms, operation_name, conversation_id, response_model,
         input_tokens, output_tokens, cached_tokens) VALUES (?, ?, 'chat gpt-5.2', ?, ?, 'chat', ?, 'gpt-5.2', ?, ?, ?)`,
    );
    span.run("a000000000000001", "a".repeat(32), at, at + 2000, "chat-1", 1600, 120, 400);
    span.run("a000000000000002", "a".repeat(32), at + 2500, at + 9000, "chat-1", 2600, 40, 1500);
  };
  await withDatabase("agent-traces.db", fill, async (archive, path) => {
    const round = (id: string, ms: number, response: string): object => ({
      id,
      response,
      timestamp: at + ms,
      toolCalls: [],
    });
    const metadata = { promptTokens: 2600, outputTokens: 40, resolvedModel: "gpt-5.2" };
    const request = {
      ...{ requestId: "request_1", timestamp: at, message: { text: "Count the corals", parts: [] }, response: [] },
      ...{ promptTokens: 2600, completionTokens: 160, modelId: "copilot/gpt-5.2" },
      result: { metadata: { ...metadata, toolCallRounds: [round("r1", 2000, "Two."), round("r2", 9000, "Done.")] } },
    };
    const chat = {
      version: 3,
      sessionId: "chat-1",
      creationDate: at,
      responderUsername: "GitHub Copilot",
      requests: [request],
    };
    const file = put(join(path, ".."), "chatSessions/chat-1.jsonl", `${JSON.stringify({ kind: 0, v: chat })}\n`);
    await importPaths(archive, [path, file], { final: true });
    const own = summaryOfSession(archive, findSession(archive, "copilot-chat:chat-1"));
    expect(own).toMatchObject({ format: "copilot-chat", usage: { inputUncached: 2600, output: 40 } });
    const { calls, telemetry } = reportedCalls(archive, own.id);
    expect(telemetry).toMatchObject({ requests: 2 });
    // A call of which the file has no tokens is matched with none.
    expect(calls.map(({ call, from, reported }) => [call, from, reported])).toEqual([
      [2, "telemetry", expect.objectContaining({ inputUncached: 1100, cacheRead: 1500, output: 40 })],
    ]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.find((one) => one.path === `${path}#chat-1`)).toMatchObject({ status: "older copy" });
  });
});

test("VS Code: a conversation is its traces, spans without a name too, and each call has its usage once", async () => {
  const at = Date.UTC(2026, 8, 1, 10);
  const fill: Fill = (sqlite) => {
    sqlite.exec(TRACES);
    const span = sqlite.prepare(
      `INSERT INTO spans (span_id, trace_id, parent_span_id, name, start_time_ms, end_time_ms, operation_name, conversation_id,
         response_model, input_tokens, output_tokens, cached_tokens, tool_name, tool_call_id)
       VALUES (@id, @trace, @parent, @name, @from, @to, @operation, @conversation, @model, @input, @output, @cached, @tool, @toolId)`,
    );
    const none = {
      parent: null,
      conversation: null,
      model: null,
      input: null,
      output: null,
      cached: null,
      tool: null,
      toolId: null,
    };
    const [one, two] = ["a".repeat(32), "b".repeat(32)];
    const call = { operation: "chat", model: "gpt-5.2", conversation: "talk-1" };
    span.run({
      ...none,
      ...call,
      id: "a000000000000001",
      trace: one,
      name: "chat gpt-5.2",
      from: at,
      to: at + 900,
      input: 1000,
      output: 40,
      cached: 600,
    });
    span.run({
      ...none,
      id: "a000000000000002",
      trace: one,
      name: "execute_tool read",
      from: at + 950,
      to: at + 990,
      operation: "execute_tool",
      tool: "read",
      toolId: "call_1",
    });
    span.run({
      ...none,
      ...call,
      id: "a000000000000003",
      trace: two,
      name: "chat gpt-5.2",
      from: at + 5000,
      to: at + 6000,
      input: 2000,
      output: 60,
      cached: 900,
    });
    const attribute = sqlite.prepare("INSERT INTO span_attributes VALUES (?, ?, ?)");
    attribute.run("a000000000000001", "gen_ai.usage.cache_creation.input_tokens", "50");
    attribute.run("a000000000000001", "gen_ai.usage.input_tokens", "1000");
    attribute.run(
      "a000000000000001",
      "gen_ai.input.messages",
      JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Count" }] }]),
    );
    attribute.run("a000000000000002", "gen_ai.tool.call.arguments", JSON.stringify({ path: "map.md" }));
  };
  await withDatabase("agent-traces.db", fill, async (archive, path) => {
    const { totals } = await importPaths(archive, [path], { final: true });
    expect(totals.sessions).toBe(1);
    const { calls, input, cache, events } = await shown(archive, "copilot-chat:talk-1");
    expect({ calls, input, cache }).toEqual({ calls: 2, input: 350 + 1100, cache: 1500 });
    expect(events.some(({ body }) => body.type === "tool_call" && body.toolName === "read")).toBe(true);
    expect(events.some(({ body }) => body.type === "user" && body.text === "Count")).toBe(true);
  });
});

test("Cursor: a conversation that another one started is its sub-agent", async () => {
  const fill: Fill = (sqlite) => {
    sqlite.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
    const put = sqlite.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
    const keep = (id: string, more: object): void => {
      const headers = { fullConversationHeadersOnly: [{ bubbleId: `b-${id}`, type: 1 }] };
      put.run(
        `composerData:${id}`,
        JSON.stringify({ composerId: id, createdAt: 1_772_442_000_000, ...headers, ...more }),
      );
      put.run(`bubbleId:${id}:b-${id}`, JSON.stringify({ type: 1, text: "Count." }));
    };
    keep("c-lead", { subagentInfo: null });
    keep("c-helper", { subagentInfo: { parentComposerId: "c-lead", subagentTypeName: "explore" } });
  };
  await withDatabase("state.vscdb", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    const [lead, helper] = await Promise.all(["c-lead", "c-helper"].map((id) => showSession(archive, `cursor:${id}`)));
    expect(helper).toMatchObject({ parentId: lead!.id, relation: "subagent" });
    expect(lead!.parentId).toBeNull();
  });
});

test("Cursor: pieces stand in the order of the conversation, and a call waits until it is done", async () => {
  const keep = (sqlite: Database.Database, key: string, value: object): void =>
    void sqlite.prepare("INSERT OR REPLACE INTO cursorDiskKV VALUES (?, ?)").run(key, JSON.stringify(value));
  const bubble = (id: string, more: object): object => ({ _v: 3, bubbleId: id, unread: { noise: 1 }, ...more });
  const tool = (status: string, result?: string): object => ({
    ...{ name: "read_file_v2", toolCallId: "t1", status, rawArgs: '{"target_file":"buoys.txt"}' },
    ...(result !== undefined && { result }),
  });
  // Early releases name some tools by their number, and the time elsewhere.
  const listed = {
    ...{ type: 2, bubbleId: "o2", timingInfo: { clientStartTime: 1_738_000_000_000 } },
    toolFormerData: { tool: 6, name: "", toolCallId: "t9", status: "completed", params: "{}", result: "quays" },
  };
  const composer = (...ids: string[]): object => ({
    ...{ _v: 10, composerId: "c-one", name: "Buoys", createdAt: 1_772_442_000_000, lastUpdatedAt: ids.length },
    fullConversationHeadersOnly: ids.map((bubbleId) => ({ bubbleId, type: 2 })),
  });
  const fill: Fill = (sqlite) => {
    sqlite.exec(`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      INSERT INTO cursorDiskKV VALUES ('composerData:broken', '{"composerId":'), ('composerData:empty', '{"composerId":"empty"}');`);
    // Written in another order than they are shown in.
    keep(sqlite, "bubbleId:c-one:a2", bubble("a2", { type: 2, toolFormerData: tool("loading") }));
    keep(
      sqlite,
      "bubbleId:c-one:u1",
      bubble("u1", { type: 1, text: "How many?", workspaceUris: ["file:///home/ada/b%20c"] }),
    );
    keep(sqlite, "composerData:c-one", composer("u1", "a2"));
    keep(sqlite, "composerData:c-old", {
      ...{ composerId: "c-old", createdAt: 1, conversation: [{ type: 1, bubbleId: "o1", text: "Old?" }, listed] },
      usageData: { default: { costInCents: 12, amount: 3 } },
      workspaceIdentifier: { id: "w1", uri: { fsPath: "/home/ada/old", scheme: "file" } },
    });
  };
  await withDatabase("state.vscdb", fill, async (archive, path, sqlite) => {
    await importPaths(archive, [path], { final: false });
    const types = async () => (await shown(archive, "cursor:c-one")).events.map(({ body }) => body.type);
    expect(await types()).toEqual(["meta", "user"]);
    keep(sqlite, "bubbleId:c-one:a2", bubble("a2", { type: 2, toolFormerData: tool("completed", "red") }));
    keep(
      sqlite,
      "bubbleId:c-one:a3",
      bubble("a3", { type: 2, text: "One.", tokenCount: { inputTokens: 90, outputTokens: 4 } }),
    );
    keep(sqlite, "composerData:c-one", composer("u1", "a2", "a3"));
    await importPaths(archive, [path]);
    expect(await types()).toEqual(["meta", "user", "tool_call", "tool_result", "assistant"]);
    expect(await shown(archive, "cursor:c-one")).toMatchObject({ input: 90, calls: 2 });
    const { cwd, title } = summaryOfSession(archive, findSession(archive, "cursor:c-one"));
    expect([cwd, title]).toEqual(["/home/ada/b c", "Buoys"]);
    const old = (await shown(archive, "cursor:c-old")).events;
    expect(old.map(({ body }) => body.type)).toEqual(["meta", "user", "tool_call", "tool_result", "meta"]);
    expect(old[2]).toMatchObject({ ts: "2025-01-27T17:46:40.000Z", body: { toolName: "list_dir" } });
    expect(summaryOfSession(archive, findSession(archive, "cursor:c-old")).cwd).toBe("/home/ada/old");
    // The transcript of the same conversation has less.
    const line = { role: "user", message: { content: [{ type: "text", text: "<user_query>How many?</user_query>" }] } };
    const transcript = put(join(path, ".."), "agent-transcripts/c-one.jsonl", `${JSON.stringify(line)}\n`);
    await importPaths(archive, [transcript]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.find((one) => one.path === transcript)).toMatchObject({ status: "older copy" });
  });
});
