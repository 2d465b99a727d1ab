// Stores of Cursor's terminal agent: real databases, as its client writes them, and with each of their parts broken. Synthetic.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { listSources } from "../sources/list-sources.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import {
  answered,
  archiveBytes,
  CONVERSATION,
  CursorStore,
  INSTRUCTIONS,
  promptOf,
  rootBytes,
  STORE_ID,
  STORE_KEY,
  WORKSPACE,
} from "../testing-cursor-store.ts";
import { importPaths } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const NAME = `cursor:${STORE_ID}`;

/** A store where the agent keeps it, still open. */
const withStore = (run: (archive: Archive, store: CursorStore, path: string) => Promise<void>): Promise<void> =>
  inFolder(async (dir) => {
    const path = join(dir, ".cursor/chats/0cc175b9c0f1b6a831c399e269772661", STORE_ID, "store.db");
    mkdirSync(dirname(path), { recursive: true });
    const store = new CursorStore(path);
    try {
      await withArchive(join(dir, "archive"), (archive) => run(archive, store, path));
    } finally {
      store.close();
    }
  });

async function shown(archive: Archive, name = NAME) {
  const summary = summaryOfSession(archive, findSession(archive, name));
  const { events } = await listEvents(archive, summary.id, { from: 1, limit: 500 });
  return { summary, events, bodies: events.map(({ body }) => body) };
}

const wordsOf = (bodies: Awaited<ReturnType<typeof shown>>["bodies"]): string[] =>
  bodies.flatMap((body) => {
    const words = "text" in body ? String(body.text) : body.type === "tool_call" ? body.toolName : "";
    if (words.startsWith("<timestamp>")) return [];
    return `${body.type}${"injected" in body && body.injected ? ` (${body.injected})` : ""}: ${words.split("\n")[0]}`;
  });

const sourceOf = async (archive: Archive, path: string) =>
  (await listSources(archive, { limit: 20, offset: 0 })).sources.find((one) => one.path === path);

test("a conversation has its messages in the order of the root, its title, folder, branch and model, and no key", async () => {
  await withStore(async (archive, store, path) => {
    // Written in another order than they are listed in.
    for (const one of CONVERSATION.toReversed()) store.put(one);
    store.send(CONVERSATION);
    await importPaths(archive, [path]);
    const { summary, events, bodies } = await shown(archive);
    expect(wordsOf(bodies)).toEqual([
      ...["meta: default", "system: You are an agent in a terminal.", "user (environment): <user_info>"],
      ...["user: Which pools are deep?", "reasoning: The survey lists them.", "assistant: I read the survey."],
      ...["tool_call: Read", "tool_call: Shell", "tool_result: north 3 m", "tool_result: Exit code: 1"],
      ...["reasoning: ", "assistant: The north pool is deep.", "meta: 12315 tokens of 200000, as Cursor counted"],
    ]);
    expect(bodies.flatMap((body) => (body.type === "tool_result" ? [[body.toolCallId, body.isError]] : []))).toEqual([
      ["call-1\nfc_1", false],
      ["call-2", true],
    ]);
    expect(bodies.filter(({ type }) => type === "reasoning")).toMatchObject([
      { signatureChars: 8 },
      { signatureChars: 8, encrypted: true },
    ]);
    expect(events.map(({ turn }) => turn).at(-1)).toBe(1);
    expect(summary).toMatchObject({
      ...{ title: "Tide pools", cwd: "/home/ada/tide pools", model: "composer-2-fast", format: "cursor" },
      ...{ modelCalls: { own: 2 }, usage: { inputUncached: 0, output: 0 } },
    });
    expect(archive.sqlite.prepare("SELECT branch, window, started_at FROM sessions").get()).toEqual({
      ...{ branch: "springs", window: 200_000, started_at: 1_772_442_000_000 },
    });
    expect(JSON.stringify(archive.sqlite.prepare("SELECT * FROM events").all())).not.toContain(STORE_KEY);
    expect(await sourceOf(archive, path)).toMatchObject({ status: "ok", format: "cursor" });
  });
});

test("the fixture is what is read of a store with a summary: -u writes it anew", async () => {
  await withStore(async (archive, store, path) => {
    const ids = store.send(CONVERSATION);
    const archived = store.put(archiveBytes(ids.slice(1), "The north pool is deep."));
    const handed = {
      ...{ role: "user", content: "[Previous conversation summary]: The north pool is deep." },
      providerOptions: { cursor: { isSummary: true } },
    };
    const rest = [promptOf("And the south one?"), answered("3", "It is shallow, 1 m.")];
    store.send([INSTRUCTIONS, WORKSPACE, handed, ...rest], { archives: [archived] });
    await importPaths(archive, [path]);
    const { pk } = archive.sqlite.prepare("SELECT pk FROM sources WHERE path LIKE '%#%'").get() as { pk: number };
    const rows = Buffer.concat([...rawBytes(archive, pk, 0, 1e6)]).toString();
    expect(rows).not.toContain(STORE_KEY);
    await expect(rows).toMatchFileSnapshot("../../formats/fixtures/cursor-synthetic-store.jsonl");
  });
});

test("a conversation that goes on is read from where it was, and a name that comes later is its title", async () => {
  await withStore(async (archive, store, path) => {
    const first = CONVERSATION.slice(0, 4);
    store.send(first, {}, { name: "New Agent" });
    await importPaths(archive, [path]);
    expect((await shown(archive)).summary).toMatchObject({ title: "Which pools are deep?" });
    store.send(CONVERSATION);
    const { files } = await importPaths(archive, [path]);
    expect(files.map(({ status }) => status)).not.toContain("failed");
    const { summary, events } = await shown(archive);
    expect(summary).toMatchObject({ title: "Tide pools" });
    expect(events).toHaveLength(14);
    expect((await importPaths(archive, [path])).files.filter(({ status }) => status === "grown")).toEqual([]);
  });
});

test("a conversation that goes on after a pause, and is summarised then, has no earlier version", async () => {
  await withStore(async (archive, store, path) => {
    const versions = archive.sqlite.prepare("SELECT count(*) FROM sources WHERE earlier IS NOT NULL").pluck();
    const ids = store.send(CONVERSATION);
    await importPaths(archive, [path], { final: true });
    store.send([...CONVERSATION, promptOf("And the south one?")]);
    await importPaths(archive, [path], { final: false });
    expect(versions.get()).toBe(0);
    const archived = store.put(archiveBytes(ids.slice(1), "The north pool is deep."));
    store.send([INSTRUCTIONS, WORKSPACE, promptOf("And the south one?")], { archives: [archived] });
    await importPaths(archive, [path], { final: false });
    expect(versions.get()).toBe(0);
    expect((await shown(archive)).bodies.at(-1)).toMatchObject({ type: "meta", subtype: "context" });
  });
});

test("what a summary took the place of stands before it, and the model is sent the rest", async () => {
  await withStore(async (archive, store, path) => {
    const old = [promptOf("first"), answered("1", "one"), promptOf("second"), answered("2", "two")];
    const ids = store.send([INSTRUCTIONS, WORKSPACE, ...old]);
    await importPaths(archive, [path]);
    const handed = {
      ...{ role: "user", content: [{ type: "text", text: "[Previous conversation summary]: one, two" }] },
      providerOptions: { cursor: { isSummary: true } },
    };
    // The last turn was kept: it is listed in the archive, and sent again behind the summary.
    const archived = store.put(archiveBytes(ids.slice(1), "one, two"));
    const kept = [...old.slice(2), promptOf("third"), answered("3", "three")];
    store.send([INSTRUCTIONS, WORKSPACE, handed, ...kept], { archives: [archived] });
    await importPaths(archive, [path]);
    expect(wordsOf((await shown(archive)).bodies).slice(1, -1)).toEqual([
      ...["system: You are an agent in a terminal.", "user: first", "assistant: one", "compaction: one, two"],
      ...["user (environment): <user_info>", "user (summary): [Previous conversation summary]: one, two"],
      ...["user: second", "assistant: two", "user: third", "assistant: three"],
    ]);
  });
});

test("a summary without an archive is a compaction, and the same message twice stands twice", async () => {
  await withStore(async (archive, store, path) => {
    const summary = { role: "user", content: "Before: one.", providerOptions: { cursor: { isSummary: true } } };
    const again = { role: "user", content: "Go on" };
    store.send([INSTRUCTIONS, summary, again, answered("1", "one"), again]);
    await importPaths(archive, [path]);
    expect(wordsOf((await shown(archive)).bodies).slice(2, -1)).toEqual([
      ...["compaction: Before: one.", "user (summary): Before: one.", "user: Go on", "assistant: one", "user: Go on"],
    ]);
  });
});

const DAMAGED = [
  ["names itself", (own: Buffer) => rootBytes({ messages: [own.toString("hex")] })],
  ["lists what is not there", () => rootBytes({ messages: ["ab".repeat(32)] })],
  ["has other fields", () => Buffer.from([0xfa, 0x01, 2, 8, 1])],
  ["is cut off", () => rootBytes({ messages: ["ab".repeat(32)] }).subarray(0, 20)],
  ["is no protobuf", () => Buffer.from("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "latin1")],
  ["is empty", () => Buffer.alloc(0)],
  ["is lost", () => null],
] as const;

test.each(DAMAGED)("a root that %s: the messages are read all the same, and the session says so", async (_, made) => {
  await withStore(async (archive, store, path) => {
    store.send(CONVERSATION);
    const root = "cd".repeat(32);
    const data = made(Buffer.from(root, "hex"));
    if (data !== null) store.sqlite.prepare("INSERT INTO blobs VALUES (?, ?)").run(root, data);
    store.meta({ latestRootBlobId: root });
    await importPaths(archive, [path]);
    const bodies = (await shown(archive)).bodies.filter((body) => !("subtype" in body && body.subtype === "context"));
    expect(bodies.flatMap((body) => (body.type === "unknown" ? [body.reason] : []))).toEqual([
      "No list of messages can be read: this is the order in which they were written.",
    ]);
    expect(bodies.filter(({ type }) => type === "tool_result")).toHaveLength(2);
    expect(bodies.at(-1)).toMatchObject({ type: "assistant", text: "The north pool is deep." });
  });
});

test("a message that is lost, encrypted or of a kind to come stands as such among the others", async () => {
  await withStore(async (archive, store, path) => {
    const ids = CONVERSATION.map((one) => store.put(one));
    const sealed = store.put(Buffer.from([0, 1, 2, 255]));
    const coming = store.put({ role: "narrator", content: [{ type: "hologram" }] });
    const strange = store.put({ role: "user", content: [{ type: "hologram" }] });
    store.meta({
      latestRootBlobId: store.put(
        rootBytes({ messages: [...ids.slice(0, 4), "ee".repeat(32), sealed, coming, strange, ...ids.slice(4)] }),
      ),
    });
    await importPaths(archive, [path]);
    const { bodies } = await shown(archive);
    expect(bodies.flatMap((body) => (body.type === "unknown" ? [body.reason] : []))).toEqual([
      "The store lists this message and does not have it.",
      "A message that is not JSON; it may be encrypted.",
      'A message of role "narrator", which is not known.',
      'A part of type "hologram", which is not known.',
    ]);
    expect(bodies.filter(({ type }) => type === "tool_result")).toHaveLength(2);
  });
});

test("without the row about it a conversation is named by its first prompt, and none of it is lost", async () => {
  for (const value of [null, "zz", Buffer.from('{"agentId":').toString("hex"), '"text"'])
    await withStore(async (archive, store, path) => {
      const [, , prompt] = store.send(CONVERSATION);
      store.sqlite.exec("DELETE FROM meta");
      if (value !== null) store.sqlite.prepare("INSERT INTO meta VALUES ('0', ?)").run(value);
      await importPaths(archive, [path]);
      const { bodies } = await shown(archive, `cursor:${prompt}`);
      expect(bodies.filter(({ type }) => type === "unknown")).toHaveLength(1);
      expect(bodies).toHaveLength(14);
    });
});

test("an empty store, one to come, and one of another program say what is the matter", async () => {
  const reasons: (string | null | undefined)[] = [];
  const notes = async (fill: (sqlite: Database.Database) => void): Promise<void> =>
    withStore(async (archive, store, path) => {
      fill(store.sqlite);
      await importPaths(archive, [path]);
      reasons.push((await sourceOf(archive, path))?.reason);
    });
  await notes(() => {});
  await notes((sqlite) => void sqlite.exec("DROP TABLE blobs; CREATE TABLE blobs (hash BLOB, body BLOB)"));
  await notes((sqlite) => void sqlite.exec("DROP TABLE blobs; CREATE TABLE nodes (id TEXT)"));
  expect(reasons).toEqual([
    "It has no sessions yet.",
    'The table "blobs" has no id, data. This version of Cursor is not known. Update Plimsoll.',
    expect.stringMatching(/^No table of it is known\. Known: /),
  ]);
  await inFolder(async (dir) => {
    const path = put(dir, ".cursor/chats/a/b/store.db", "");
    await withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [path]);
      expect(await sourceOf(archive, path)).toMatchObject({ reason: "The file is empty." });
      writeFileSync(path, Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4096, 7)]));
      await importPaths(archive, [path]);
      expect(await sourceOf(archive, path)).toMatchObject({ status: "failed" });
    });
  });
});

test("the transcript that the agent writes beside its store is an older copy of it", async () => {
  await withStore(async (archive, store, path) => {
    store.send(CONVERSATION);
    const line = (role: string, text: string): string =>
      `${JSON.stringify({ role, message: { content: [{ type: "text", text }] } })}\n`;
    const transcript = put(
      join(path, "../../../.."),
      `projects/home-ada/agent-transcripts/${STORE_ID}/${STORE_ID}.jsonl`,
      line("user", "<user_query>Which pools are deep?</user_query>") + line("assistant", "The north pool is deep."),
    );
    for (const paths of [[transcript, path], [path]]) await importPaths(archive, paths);
    expect((await shown(archive)).events).toHaveLength(14);
    expect(await sourceOf(archive, transcript)).toMatchObject({ status: "older copy" });
  });
});

test("the log of a database that is read is no file that nothing matches", async () => {
  await withStore(async (archive, store, path) => {
    store.send(CONVERSATION);
    const folder = join(path, "../../../..");
    put(folder, "notes.md", "Tides");
    put(folder, "of-nothing.db-wal", "");
    const { unmatched } = await importPaths(archive, [folder]);
    const names = unmatched.flatMap(({ groups }) => groups.flatMap((group) => group.names));
    expect(names.toSorted()).toEqual(["notes.md", "of-nothing.db-wal"]);
  });
});

test("whatever becomes of some blobs, each message that is whole is read, and nothing fails", async () => {
  const wound = fc.record({
    at: fc.nat(),
    how: fc.constantFrom("gone", "cut", "noise", "null"),
    bytes: fc.uint8Array(),
  });
  const turns = Array.from({ length: 6 }, (_, i) => [
    promptOf(`Question ${i}`),
    answered(String(i), `Answer ${i}.`),
  ]).flat();
  await fc.assert(
    fc.asyncProperty(fc.array(wound, { minLength: 1, maxLength: 5 }), async (wounds) => {
      await withStore(async (archive, store, path) => {
        store.send(turns);
        const ids = store.sqlite.prepare("SELECT id FROM blobs ORDER BY rowid").pluck().all() as string[];
        for (const { at, how, bytes } of wounds) {
          const id = ids[at % ids.length];
          if (how === "gone") store.sqlite.prepare("DELETE FROM blobs WHERE id = ?").run(id);
          else if (how === "cut")
            store.sqlite.prepare("UPDATE blobs SET data = substr(data, 1, length(data) / 2) WHERE id = ?").run(id);
          else
            store.sqlite
              .prepare("UPDATE blobs SET data = ? WHERE id = ?")
              .run(how === "null" ? null : Buffer.from(bytes), id);
        }
        const hurt = new Set(wounds.map(({ at }) => ids[at % ids.length]));
        await importPaths(archive, [path]);
        const words = wordsOf((await shown(archive)).bodies);
        for (const [i, id] of ids.slice(0, turns.length).entries())
          if (!hurt.has(id))
            expect(words).toContain(i % 2 === 0 ? `user: Question ${i / 2}` : `assistant: Answer ${(i - 1) / 2}.`);
      });
    }),
    { numRuns: 25 },
  );
});
