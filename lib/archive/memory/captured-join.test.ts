// What the proxy recorded, and the session that the agent wrote: in whatever order they come, calls count once, and the ledger
// names what the file does not. All records are synthetic.
import { hash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { answer, jsonl, prompt, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { contextOf } from "./context.ts";
import { sentRequestOf } from "./sent-request.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { removePreview, removeSession } from "../sources/remove-session.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { findSession } from "../base/find-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "../import/import-paths.ts";

const words = (count: number, name: string): string => Array.from({ length: count }, (_, i) => `${name}${i}`).join(" ");
const PILOT = words(90, "pilot");
const BASH = words(60, "bash");

/** A file as older versions write it: nothing of the system prompt or the tools. */
const FILE = jsonl(
  prompt("p1", 10, words(20, "ask")),
  answer("a1", 11, "1", text("Yes."), { usage: used(200, 0, 0, 9) }),
  prompt("p2", 20, words(20, "more")),
  answer("a2", 21, "2", text("No."), { usage: used(230, 0, 0, 9) }),
);

/** The second request shares its beginning and its end with the first. */
const bodyOf = (n: number): string => `{"model":"claude-opus-4-5","messages":[{"role":"user","content":"Ask ${n}"}]}`;
const bytes = (n: number) => ({
  ...(n === 1
    ? { base: null, head: 0, tail: 0, text: bodyOf(1) }
    : { base: 1, head: bodyOf(1).lastIndexOf("1"), tail: 4, text: `${n}` }),
  size: bodyOf(n).length,
  sha256: hash("sha256", bodyOf(n), "hex"),
});

const exchange = (n: number, id: string, tokens: number, newParts: object[]) => ({
  exchange: n,
  at: Date.UTC(2026, 4, 1, 0, 0, n),
  firstByteMs: 1,
  totalMs: 2,
  method: "POST",
  path: "/v1/messages",
  api: "messages",
  turn: null,
  purpose: null,
  model: "claude-opus-4-5",
  headers: {},
  request: bytes(n),
  parts: ["aaaaaaaaaaaa", "bbbbbbbbbbbb"],
  newParts,
  messages: [],
  answer: {
    status: 200,
    headers: { "request-id": `req_${id}` },
    text: null,
    message: { id: `msg_${id}`, content: [], usage: { input_tokens: tokens, output_tokens: 9 } },
  },
  notes: [],
});

const CAPTURED = jsonl(
  { captured: 1, id: "c", at: Date.UTC(2026, 4, 1), agent: null, session: { format: "claude-code", id: SESSION } },
  exchange(1, "1", 200, [
    { key: "aaaaaaaaaaaa", tool: null, text: PILOT },
    { key: "bbbbbbbbbbbb", tool: "Bash", text: BASH },
  ]),
  exchange(2, "2", 230, []),
  // A call that the agent's file has no record of: a compaction's own.
  exchange(3, "aside", 500, []),
);

const NAME = `claude-code:${SESSION}`;

async function figures(archive: Archive) {
  const { sessions, total } = await listSessions(archive, sessionsQuery.parse({}));
  const ledger = await sessionLedger(archive, NAME, { counted: true });
  const prefix = ledger.items.filter(({ kind }) => kind === "prefix");
  const usage = (name: string) => summaryOfSession(archive, findSession(archive, name)).usage.inputUncached;
  return {
    listed: sessions.map(({ format, children }) => ({ format, children })),
    total,
    labels: prefix.map(({ label, enteredAt, leftAt }) => ({
      label: label.split(" ").slice(0, 2).join(" "),
      enteredAt,
      leftAt,
    })),
    sums: ledger.calls.map(({ sum, reported }) => [sum, reported]),
    own: usage(NAME),
    beside: usage(`${NAME}/captured`),
  };
}

test("the session's calls count once, its hidden prefix has names, and a call of no record is added", async () => {
  const found: unknown[] = [];
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const)
    await inArchive(async (archive, logs) => {
      const files = [put(logs, `${SESSION}.jsonl`, FILE), put(logs, "one.captured.jsonl", CAPTURED)];
      for (const i of order) await importPaths(archive, [files[i]!]);
      found.push(await figures(archive));
    });
  expect(found[1]).toEqual(found[0]);
  expect(found[0]).toMatchObject({
    listed: [{ format: "claude-code", children: 0 }],
    total: 1,
    sums: [
      [200, 200],
      [230, 230],
    ],
    own: 430,
    beside: 500,
  });
  const { labels } = found[0] as { labels: { label: string; enteredAt: number; leftAt: number | null }[] };
  expect(labels.filter(({ label }) => /^(system_prompt|tool_schema)/.test(label))).toEqual([
    { label: expect.stringMatching(/^system_prompt/), enteredAt: 1, leftAt: null },
    { label: "tool_schema Bash", enteredAt: 1, leftAt: null },
  ]);
});

test("a call's request is the one that was sent, put together from the lines", async () => {
  await inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, FILE), put(logs, "one.captured.jsonl", CAPTURED)]);
    for (const call of [1, 2]) {
      const sent = sentRequestOf(archive, NAME, { call });
      expect(sent).toMatchObject({ isWhole: true, isProven: true, why: null });
      expect(sent.body).toEqual(JSON.parse(bodyOf(call)));
    }
    const { calls } = await sessionLedger(archive, NAME);
    const { messages } = await contextOf(archive, NAME, contextQuery.parse({ at: calls[1]!.seq, as: "sent" }));
    expect(messages.at(-1)).toMatchObject({ label: "Ask 2" });
  });
});

test("a damaged line is said, and nothing is made up", async () => {
  await inArchive(async (archive, logs) => {
    const lines = CAPTURED.replace("Ask 1", "Ask 7");
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, FILE), put(logs, "one.captured.jsonl", lines)]);
    expect(sentRequestOf(archive, NAME, { call: 2 })).toMatchObject({ body: null, isWhole: false });
    expect(sentRequestOf(archive, NAME, { call: 2 }).why).toContain("cannot be put together");
  });
});

test("in a session of its own a call carries what its request holds", async () => {
  await inArchive(async (archive) => {
    const fixtures = join(import.meta.dirname, "../../formats/fixtures");
    await importPaths(archive, [join(fixtures, "captured-synthetic-session.jsonl")]);
    const { items } = await sessionLedger(archive, "captured:c-synthetic", { counted: true });
    const of = (call: number) => items.filter(({ enteredAt }) => enteredAt === call).map(({ kind }) => kind);
    // What the provider charged beyond the texts of the fixture is unattributed.
    expect(of(1).toSorted()).toEqual(["prefix", "prefix", "unattributed", "user"]);
    expect(of(2)).toContain("result");
    expect(items.map(({ label }) => label)).toContainEqual(expect.stringMatching(/^tool_schema tides /));
  });
});

test("without the agent's file what was captured is a session of its own", async () => {
  await inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, "one.captured.jsonl", CAPTURED)]);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
    expect(sessions.map(({ format }) => format)).toEqual(["captured"]);
    expect(summaryOfSession(archive, findSession(archive, `${NAME}/captured`)).usage.inputUncached).toBe(930);
  });
});

test("with the session go the requests that Plimsoll recorded of it; an agent's file stays", () =>
  inArchive(async (archive, logs) => {
    const recorded = join(archive.dir, "captured", "one.captured.jsonl");
    mkdirSync(dirname(recorded), { recursive: true });
    writeFileSync(recorded, CAPTURED);
    const file = put(logs, `${SESSION}.jsonl`, FILE);
    await importPaths(archive, [file]);
    await importPaths(archive, [recorded]);
    expect(removePreview(archive, NAME).files).toEqual([recorded]);
    await removeSession(archive, NAME);
    expect([existsSync(file), existsSync(recorded)]).toEqual([true, false]);
    expect(archive.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()).toEqual({ n: 0 });

    // Where nothing but the recording is here, it is the session's own file.
    writeFileSync(recorded, CAPTURED);
    await importPaths(archive, [recorded], { isWatched: true });
    expect(removePreview(archive, `${NAME}/captured`)).toMatchObject({ path: recorded, files: [recorded] });
    await removeSession(archive, `${NAME}/captured`);
    expect(existsSync(recorded)).toBe(false);
  }));
