// Databases of agents with less than their releases write: columns that are NULL or missing, JSON stored as bytes. What is there is read.
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { inFolder, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

async function shown(archive: Archive, name: string) {
  const { usage, modelCalls, id, title } = summaryOfSession(archive, findSession(archive, name));
  const { events } = await listEvents(archive, id, { from: 1, limit: 500 });
  const texts = events.flatMap(({ body }) => (body.type === "user" || body.type === "assistant" ? [body.text] : []));
  return { title, texts, input: usage.inputUncached, output: usage.output, calls: modelCalls.own };
}

async function withDatabase(
  name: string,
  fill: (sqlite: Database.Database) => void,
  run: (archive: Archive, path: string, sqlite: Database.Database) => Promise<void>,
): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, name);
    const sqlite = new Database(path);
    fill(sqlite);
    try {
      await withArchive(join(dir, "archive"), (archive) => run(archive, path, sqlite));
    } finally {
      sqlite.close();
    }
  });
}

/** Every column but the keys may be NULL, or not be there. */
const variants = (columns: readonly string[]): [string, { nulls: boolean; without: readonly string[] }][] => [
  ["all that is no key is NULL", { nulls: true, without: [] }],
  ...columns.map((column): [string, { nulls: boolean; without: string[] }] => [
    `no column ${column}`,
    { nulls: false, without: [column] },
  ]),
  ["only keys and data", { nulls: false, without: columns }],
];

type Values = Readonly<Record<string, string | number | Buffer | null>>;

function insert(sqlite: Database.Database, table: string, values: Values): void {
  const columns = new Set(sqlite.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table));
  const own = Object.entries(values).filter(([name]) => columns.has(name));
  sqlite
    .prepare(`INSERT INTO ${table} (${own.map(([name]) => name).join(", ")}) VALUES (${own.map(() => "?").join(", ")})`)
    .run(...own.map(([, value]) => value));
}

function create(sqlite: Database.Database, table: string, columns: readonly string[]): void {
  sqlite.exec(`CREATE TABLE ${table} (${columns.join(", ")})`);
}

const AT = 1_790_000_000_000;
const LATER = ["directory", "title", "version", "time_created", "time_updated"];
const TOKENS = { input: 100, output: 7, reasoning: 0, cache: { read: 0, write: 0 } };
const OLD = [
  { message: { role: "user" }, parts: [{ type: "text", text: "How deep?" }] },
  {
    message: { role: "assistant", modelID: "m", time: { created: AT, completed: AT } },
    parts: [
      { type: "text", text: "Nine metres." },
      { type: "step-finish", tokens: TOKENS, cost: 0 },
    ],
  },
];

const asBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function fillOld(sqlite: Database.Database, without: readonly string[], nulls: boolean, store: Store): void {
  const kept = (...columns: string[]): string[] => columns.filter((column) => !without.includes(column));
  create(sqlite, "session", kept("id", "parent_id", ...LATER));
  create(sqlite, "message", kept("id", "session_id", "time_created", "time_updated", "data"));
  create(sqlite, "part", kept("id", "message_id", "session_id", "time_created", "time_updated", "data"));
  const at = nulls ? null : AT;
  const about: Values = nulls ? {} : { directory: "/reef", title: "Depths", version: "1.18.0" };
  insert(sqlite, "session", { id: "ses_1", ...about, time_created: at, time_updated: at });
  for (const [i, { message, parts }] of OLD.entries()) {
    const times = { session_id: "ses_1", time_created: at, time_updated: at };
    insert(sqlite, "message", { id: `msg_${i}`, ...times, data: store(message) });
    for (const [n, part] of parts.entries())
      insert(sqlite, "part", { id: `prt_${i}${n}`, message_id: `msg_${i}`, ...times, data: store(part) });
  }
}

const JSONB = new Database(":memory:").prepare("SELECT jsonb(?)").pluck();
type Store = (value: unknown) => string | Buffer;
const STORED: readonly [string, Store][] = [
  ["text", (value) => JSON.stringify(value)],
  ["bytes", asBytes],
  ["SQLite's own JSON", (value) => JSONB.get(JSON.stringify(value)) as Buffer],
];

const READ = { texts: ["How deep?", "Nine metres."], input: 100, output: 7, calls: 1 };

describe.each(["opencode.db", "kilo.db"])("%s", (name) => {
  test.each(variants(LATER))("%s", (_what, given) =>
    withDatabase(
      name,
      (sqlite) => fillOld(sqlite, given.without, given.nulls, JSON.stringify),
      async (archive, path) => {
        const { files } = await importPaths(archive, [path], { final: true });
        expect(files.map(({ status, reason }) => [status, reason ?? null])).toEqual([
          ["unchanged", null],
          ["imported", null],
        ]);
        expect(await shown(archive, "opencode:ses_1")).toMatchObject(READ);
      },
    ),
  );

  test.each(STORED)("JSON as %s", (_what, store) =>
    withDatabase(
      name,
      (sqlite) => fillOld(sqlite, [], false, store),
      async (archive, path) => {
        await importPaths(archive, [path], { final: true });
        expect(await shown(archive, "opencode:ses_1")).toMatchObject({ ...READ, title: "Depths" });
      },
    ),
  );

  test("a session without times is read again when it has more", () =>
    withDatabase(
      name,
      (sqlite) => fillOld(sqlite, [], true, JSON.stringify),
      async (archive, path, sqlite) => {
        await importPaths(archive, [path], { final: true });
        insert(sqlite, "message", { id: "msg_9", session_id: "ses_1", data: JSON.stringify({ role: "user" }) });
        const part = { type: "text", text: "Thanks" };
        insert(sqlite, "part", {
          ...{ id: "prt_9", message_id: "msg_9", session_id: "ses_1", data: JSON.stringify(part) },
        });
        await importPaths(archive, [path], { final: true });
        expect((await shown(archive, "opencode:ses_1")).texts).toEqual([...READ.texts, "Thanks"]);
      },
    ));
});

describe("OpenCode 2", () => {
  const NEXT = [
    { type: "user", data: { text: "How deep?" } },
    {
      type: "assistant",
      data: {
        ...{ model: { id: "m" }, content: [{ type: "text", text: "Nine metres." }], tokens: TOKENS },
        time: { created: AT, completed: AT },
      },
    },
  ];
  const fill = (sqlite: Database.Database, without: readonly string[], nulls: boolean, store: Store): void => {
    const kept = (...columns: string[]): string[] => columns.filter((column) => !without.includes(column));
    create(sqlite, "session_v2", kept("id", "parent_id", "location", ...LATER));
    create(sqlite, "session_message", kept("id", "session_id", "type", "seq", "time_created", "time_updated", "data"));
    const at = nulls ? null : AT;
    const about: Values = nulls ? {} : { location: store({ directory: "/reef" }), title: "Depths" };
    insert(sqlite, "session_v2", { id: "ses_1", ...about, time_created: at, time_updated: at });
    for (const [i, { type, data }] of NEXT.entries())
      insert(sqlite, "session_message", {
        ...{ id: `msg_${i}`, session_id: "ses_1", seq: nulls ? null : i, time_created: at, time_updated: at },
        ...{ type: nulls ? null : type, data: store({ ...data, type }) },
      });
  };

  test.each(variants(["location", "title", "version", "time_created", "time_updated", "seq", "type"]))(
    "%s",
    (_what, given) =>
      withDatabase(
        "opencode.db",
        (sqlite) => fill(sqlite, given.without, given.nulls, JSON.stringify),
        async (archive, path) => {
          await importPaths(archive, [path], { final: true });
          expect(await shown(archive, "opencode:ses_1")).toMatchObject(READ);
        },
      ),
  );

  test.each(STORED)("JSON as %s", (_what, store) =>
    withDatabase(
      "opencode.db",
      (sqlite) => fill(sqlite, [], false, store),
      async (archive, path) => {
        await importPaths(archive, [path], { final: true });
        expect(await shown(archive, "opencode:ses_1")).toMatchObject({ ...READ, title: "Depths" });
        const { cwd } = summaryOfSession(archive, findSession(archive, "opencode:ses_1"));
        expect(cwd).toBe("/reef");
      },
    ),
  );
});

describe("Crush", () => {
  const said = [
    { role: "user", parts: [{ type: "text", data: { text: "How deep?" } }] },
    {
      role: "assistant",
      parts: [
        { type: "text", data: { text: "Nine metres." } },
        { type: "finish", data: { reason: "end_turn", prompt_tokens: 100, completion_tokens: 7 } },
      ],
    },
  ];
  const LATER_CRUSH = ["title", "cost", "prompt_tokens", "completion_tokens", "created_at", "updated_at", "model"];
  const fill = (sqlite: Database.Database, without: readonly string[], nulls: boolean): void => {
    const kept = (...columns: string[]): string[] => columns.filter((column) => !without.includes(column));
    create(
      sqlite,
      "sessions",
      kept(
        "id",
        "parent_session_id",
        "title",
        "cost",
        "prompt_tokens",
        "completion_tokens",
        "created_at",
        "updated_at",
      ),
    );
    create(sqlite, "messages", kept("id", "session_id", "role", "parts", "model", "created_at", "updated_at"));
    const at = nulls ? null : 1_770_000_000;
    insert(sqlite, "sessions", { id: "kelp", title: nulls ? null : "Kelp", created_at: at, updated_at: at });
    for (const [i, { role, parts }] of said.entries())
      insert(sqlite, "messages", {
        ...{ id: `m${i}`, session_id: "kelp", role, parts: JSON.stringify(parts), created_at: at, updated_at: at },
      });
  };

  test.each(variants(LATER_CRUSH))("%s", (_what, given) =>
    withDatabase(
      "crush.db",
      (sqlite) => fill(sqlite, given.without, given.nulls),
      async (archive, path) => {
        const { files } = await importPaths(archive, [path], { final: true });
        expect(files.map(({ status, reason }) => [status, reason ?? null])).toEqual([
          ["unchanged", null],
          ["imported", null],
        ]);
        expect(await shown(archive, "crush:kelp")).toMatchObject(READ);
      },
    ),
  );

  test("a session without times is read again when it has more", () =>
    withDatabase(
      "crush.db",
      (sqlite) => fill(sqlite, [], true),
      async (archive, path, sqlite) => {
        await importPaths(archive, [path], { final: true });
        const parts = JSON.stringify([{ type: "text", data: { text: "Thanks" } }]);
        insert(sqlite, "messages", { id: "m9", session_id: "kelp", role: "user", parts });
        await importPaths(archive, [path], { final: true });
        expect((await shown(archive, "crush:kelp")).texts).toEqual([...READ.texts, "Thanks"]);
      },
    ));
});
