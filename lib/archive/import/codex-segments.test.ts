// Codex from 0.146 on: a thread that was set back, or forked, goes on in a file that begins where a part of another one ends. It copies
// nothing; its totals are those of the thread.
import { expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { originSession } from "../handover/origin-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const id = (last: string): string => `019f0000-0000-7000-8000-0000000000${last}`;
const [THREAD, REST, FORK] = [id("aa"), id("bb"), id("cc")] as const;
const tokens = (input: number, output: number) => ({
  ...{ input_tokens: input, cached_input_tokens: 0, output_tokens: output, reasoning_output_tokens: 0 },
  total_tokens: input + output,
});

const meta = (minute: number, payload: object) => ({
  ...{ timestamp: `2026-09-20T10:0${minute}:00.000Z`, type: "session_meta" },
  payload: {
    timestamp: "2026-09-20T10:00:00.000Z",
    cwd: "/home/ada",
    cli_version: "0.154.0",
    source: "cli",
    ...payload,
  },
});

/** A turn with one call of 1,000 tokens a number; `before` is what the thread had used. */
function turn(n: number, before: number) {
  const at = (type: string, payload: object) => ({ timestamp: `2026-09-20T10:0${n}:30.000Z`, type, payload });
  const turn_id = id(`0${n}`);
  return [
    at("event_msg", { type: "task_started", turn_id }),
    at("turn_context", { turn_id, model: "gpt-5.6-sol" }),
    at("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: `Turn ${n}` }] }),
    at("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] }),
    at("event_msg", {
      type: "token_count",
      info: { total_token_usage: tokens(before + n * 1000, n), last_token_usage: tokens(n * 1000, 1) },
    }),
  ];
}

const base = (thread_id: string) => ({ history_base: { thread_id, end_ordinal_exclusive: 6, end_byte_offset: 900 } });
const FILES = {
  [THREAD]: [meta(0, { id: THREAD }), ...turn(1, 0), ...turn(2, 1000)],
  [REST]: [meta(3, { id: THREAD, ...base(THREAD) }), ...turn(3, 3000)],
  [FORK]: [meta(4, { id: FORK, forked_from_id: THREAD, ...base(REST) }), ...turn(4, 6000)],
};

const read = async (archive: Archive, logs: string, name: keyof typeof FILES): Promise<void> => {
  const text = FILES[name]!.map((line) => `${JSON.stringify(line)}\n`).join("");
  await importPaths(archive, [put(logs, `rollout-2026-09-20T10-00-00-${name}.jsonl`, text)]);
};

const sessions = ({ sqlite }: Archive) =>
  query(
    sqlite,
    {
      ...{
        name: "sessions.native_id",
        relation: "sessions.relation",
        calls: "sessions.calls",
        at: "sessions.started_at",
      },
      parent: "sessions.native_id?",
      lost: "text?",
    },
    `SELECT s.native_id AS name, s.relation, s.calls, s.started_at AS at, p.native_id AS parent, s.tally ->> 'lost' AS lost
     FROM sessions s LEFT JOIN sessions p ON p.pk = s.parent_pk ORDER BY s.native_id`,
  ).all();

test.each([
  ["in their order", [THREAD, REST, FORK]],
  ["the last first", [FORK, REST, THREAD]],
])("files of one thread are sessions of their own, and no total counts twice: %s", (_, names) =>
  inArchive(async (archive, logs) => {
    for (const name of names) await read(archive, logs, name);
    const of = { relation: "fork", calls: 1, lost: null };
    expect(sessions(archive)).toMatchObject([
      { name: `codex:${THREAD}`, relation: "root", calls: 2, parent: null, lost: null },
      { ...of, name: `codex:${REST}`, parent: `codex:${THREAD}`, at: Date.parse("2026-09-20T10:03:00.000Z") },
      { ...of, name: `codex:${FORK}`, parent: `codex:${REST}` },
    ]);
  }),
);

test("such a file is not carried on without the history that it goes on from", () =>
  inArchive(async (archive, logs) => {
    await read(archive, logs, REST);
    const pk = archive.sqlite.prepare("SELECT pk FROM sessions").pluck().get() as number;
    expect(() => originSession(archive, pk)).toThrow(/history is in another file/);
  }));
