// Forks that OpenCode makes itself: a new session with copies of messages under new ids, with the times and tokens of their originals
// (its `Session.fork`). Rows are synthetic.
import type Database from "better-sqlite3";
import { expect, test } from "vitest";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { answer, inOpenCode, text, user, type Document } from "../handover/testing-opencode.ts";
import { contextOf } from "../memory/context.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { importPaths } from "./import-paths.ts";

const LATER = 1_790_000_900_000;
const query = sessionsQuery.parse({ sums: "1" });
const tokensOf = async (archive: Archive): Promise<number> => {
  const { sums } = await listSessions(archive, query);
  return sums!.tokens + (sums!.subAgents?.tokens ?? 0);
};
const shown = (archive: Archive, id: string) => showSession(archive, id);

type Message = { readonly id: string; readonly time_created: number; readonly data: string };

/** As the agent does: new ids in the order of the messages, everything else as it was. */
function fork(sqlite: Database.Database, from: string, to: string, at: number, isKilo = false): void {
  sqlite
    .prepare("INSERT INTO session VALUES (?, NULL, '/home/ada/reef', 'Tides (fork #1)', '1.18.33', NULL, ?, ?)")
    .run(to, at, at);
  const messages = sqlite.prepare("SELECT * FROM message WHERE session_id = ? ORDER BY id").all(from) as Message[];
  for (const { id, time_created, data } of messages) {
    const copy = `msg_f${at}${id.slice(4)}`;
    sqlite.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(copy, to, time_created, at, data);
    const parts = sqlite.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id").all(id) as Message[];
    for (const part of parts) {
      if (isKilo && part.data.includes('"step-start"')) continue;
      const own = isKilo ? part.data.replace('"cost":0.01', '"cost":0') : part.data;
      sqlite
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
        .run(`prt_f${at}${part.id.slice(4)}`, copy, to, at, at, own);
    }
  }
}

function goOn(sqlite: Database.Database, session: string, at: number, said: readonly Document["messages"][number][]) {
  said.forEach(({ info, parts }, n) => {
    const { id, ...data } = { ...info, time: { created: at + n, completed: at + n } };
    sqlite
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
      .run(`msg_z${id}`, session, at + n, at, JSON.stringify(data));
    for (const { id: part, ...more } of parts)
      sqlite
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
        .run(`prt_z${part}`, `msg_z${id}`, session, at, at, JSON.stringify(more));
  });
}

test.each([
  ["OpenCode", false],
  ["Kilo, which leaves parts out and counts no cost", true],
])("copies of a fork count where they were made: %s", (_name, isKilo) =>
  inOpenCode(async (archive, { path, sqlite }) => {
    const before = await tokensOf(archive);
    fork(sqlite, "ses_1", "ses_2", LATER, isKilo);
    fork(sqlite, "ses_1", "ses_3", LATER + 1, isKilo);
    goOn(sqlite, "ses_3", LATER + 10, [user(text("And in winter?")), answer(50_000, text("Lower."))]);
    fork(sqlite, "ses_3", "ses_4", LATER + 1000, isKilo);
    await importPaths(archive, [path], { final: true });
    const now = await tokensOf(archive);
    expect(now - before).toBe(50_000);
    expect(await shown(archive, "ses_1")).toMatchObject({ relation: "root", modelCalls: { own: 4, inherited: 0 } });
    expect(await shown(archive, "ses_2")).toMatchObject({ relation: "fork", modelCalls: { own: 0, inherited: 4 } });
    expect(await shown(archive, "ses_3")).toMatchObject({ relation: "fork", modelCalls: { own: 1, inherited: 4 } });
    expect(await shown(archive, "ses_4")).toMatchObject({ relation: "fork", modelCalls: { own: 0, inherited: 5 } });
    const sent = JSON.stringify((await contextOf(archive, "ses_4", { as: "anthropic" })).messages);
    for (const words of ["And the whole table?", "It has 900 rows.", "And in winter?"]) expect(sent).toContain(words);
  }),
);

test("the sums that the agent counted leave copies out", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    fork(sqlite, "ses_1", "ses_2", LATER);
    goOn(sqlite, "ses_2", LATER + 10, [user(text("And in winter?")), answer(50_000, text("Lower."))]);
    await importPaths(archive, [path], { final: true });
    expect((await shown(archive, "ses_1")).cost.reported?.usd).toBeCloseTo(0.04);
    expect((await shown(archive, "ses_2")).cost.reported?.usd).toBeCloseTo(0.01);
  }));

test("of a session that is gone, the first fork has what the others copied", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    fork(sqlite, "ses_1", "ses_2", LATER);
    fork(sqlite, "ses_1", "ses_3", LATER + 1);
    sqlite.exec("DELETE FROM session WHERE id = 'ses_1'; DELETE FROM message WHERE session_id = 'ses_1'");
    await importPaths(archive, [path], { final: true });
    expect(await shown(archive, "ses_2")).toMatchObject({ modelCalls: { own: 4 } });
    expect(await shown(archive, "ses_3")).toMatchObject({ modelCalls: { own: 0, inherited: 4 } });
  }));

test("a compaction of a fork keeps the copies behind its summary", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    fork(sqlite, "ses_1", "ses_2", LATER);
    const tail = sqlite
      .prepare("SELECT id FROM message WHERE session_id = 'ses_2' AND data LIKE '%\"user\"%' ORDER BY id DESC")
      .pluck()
      .get();
    goOn(sqlite, "ses_2", LATER + 10, [
      user({ type: "compaction", auto: true, tail_start_id: tail }),
      {
        ...answer(900, text("A summary.")),
        info: { ...answer(1).info, summary: true },
      } as Document["messages"][number],
    ]);
    await importPaths(archive, [path], { final: true });
    const sent = JSON.stringify((await contextOf(archive, "ses_2", { as: "anthropic" })).messages);
    expect(sent).toContain("And the whole table?");
    expect(sent).not.toContain("Read the tide tables");
  }));

test("a fork of OpenCode 2 names its parent, and its copies keep their numbers", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    sqlite.exec(`CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
      CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);`);
    const session = (id: string, from: string | null, at: number) =>
      sqlite
        .prepare("INSERT INTO session_v2 VALUES (?, NULL, ?, '/home/ada/reef', 'Piers', ?, ?)")
        .run(id, from, at, at);
    const add = (id: string, of: string, type: string, seq: number, data: object) =>
      sqlite
        .prepare("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)")
        .run(
          id,
          of,
          type,
          seq,
          LATER + seq,
          LATER,
          JSON.stringify({ time: { created: LATER + seq, completed: 1 }, ...data }),
        );
    const both = (of: string, name: (seq: number) => string, from: number) => {
      add(name(from), of, "user", from, { text: `Pier ${from}?` });
      const tokens = { input: 700, output: 9, reasoning: 0, cache: { read: 0, write: 0 } };
      const model = { id: "gpt-5.5", providerID: "openai" };
      add(name(from + 1), of, "assistant", from + 1, {
        model,
        content: [{ type: "text", text: "It leaks." }],
        tokens,
        cost: 0.01,
      });
    };
    const before = await tokensOf(archive);
    session("ses_n1", null, LATER);
    both("ses_n1", (seq) => `msg_o${seq}`, 1);
    session("ses_n2", "ses_n1", LATER + 100);
    both("ses_n2", (seq) => `msg_evt1_${seq}`, 1);
    both("ses_n2", (seq) => `msg_p${seq}`, 5);
    session("ses_n3", "ses_n2", LATER + 200);
    both("ses_n3", (seq) => `msg_evt2_${seq}`, 1);
    both("ses_n3", (seq) => `msg_evt2_${seq}`, 5);
    await importPaths(archive, [path], { final: true });
    expect((await tokensOf(archive)) - before).toBe(1400);
    const first = await shown(archive, "ses_n1");
    expect(await shown(archive, "ses_n2")).toMatchObject({
      relation: "fork",
      parentId: first.id,
      modelCalls: { own: 1, inherited: 1 },
    });
    expect(await shown(archive, "ses_n3")).toMatchObject({ relation: "fork", modelCalls: { own: 0, inherited: 2 } });
  }));
