// Memory folders shown as sessions, followed, compacted for real and taken back.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDirectory } from "#lib/agent-dirs/autobyteus/directory.ts";
import { FILES } from "#lib/agent-dirs/autobyteus/directory-paths.ts";
import { AutobyteusStore } from "#lib/agent-dirs/autobyteus/store.ts";
import {
  bytesIn,
  linesIn,
  makeDirectory,
  testHost,
  timesIn,
  type Made,
} from "#lib/agent-dirs/autobyteus/testing-directory.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import { attachedAnswer, attachedList } from "#lib/wire/attached-schema.ts";
import { compactAnswer, memoryAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { findSession } from "../base/find-session.ts";
import { archiveMemoryStore } from "./archive-store.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { contextOf } from "./context.ts";
import { memoryOf } from "./session-memory.ts";
import { request } from "./testing-run.ts";
import { tracesIn } from "./trace-rows.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive } from "../testing-archive.ts";
import { attachDirectory, detachDirectory, listAttached, lookAgain, refreshAttached } from "./attach-directory.ts";

const DATA = join(import.meta.dirname, "../../../../shared/data/autobyteus");
const hasData = existsSync(DATA);
if (!hasData)
  console.warn("attached-directories.test.ts: ../shared/data/autobyteus is absent; real directories are not attached.");

type Run = (archive: Archive, path: string) => Promise<void>;

/** Runs with an archive beside a made-up folder; whatever was done, the archive is sound afterwards. */
const withFolder = (made: Made, run: Run): Promise<void> =>
  inArchive(async (archive, logs) => {
    const path = join(logs, "agents", "made-up");
    makeDirectory(path, made);
    await run(archive, path);
    expect((await check(archive)).problems).toEqual([]);
  });

const keysOf = (archive: Archive, id: string): { active: string[]; archived: string[] } => {
  const { active, archived } = tracesIn(archive, id, findSession(archive, id));
  return { active: active.map(({ key }) => key).toSorted(), archived: archived.map(({ key }) => key).toSorted() };
};

const keysIn = (path: string): { active: string[]; archived: string[] } => {
  const { traces, archived } = readDirectory(path);
  return { active: traces.map(traceKey).toSorted(), archived: archived.map(traceKey).toSorted() };
};

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

const line = (more: Record<string, unknown>): string =>
  `${JSON.stringify({ id: "rt_1780000000000", ts: 1_780_000_000, turn_id: "turn_9000", seq: 1, trace_type: "user", content: "Later", source_event: "e", ...more })}\n`;

const ALL = ([1, 2] as const).flatMap((generation) =>
  (["python", "javascript"] as const).map((style) => ({ generation, style })),
);

describe.each(ALL)("a folder of generation $generation, written by $style,", (made) => {
  test("is a session: its traces are events, its archive compactions, its items memory items; no byte of it changes", () =>
    withFolder(made, async (archive, path) => {
      const before = [bytesIn(path), timesIn(path)];
      const answer = attachedAnswer.parse(await attachDirectory(archive, path));
      expect(answer).toMatchObject({
        created: true,
        nativeId: "autobyteus:made-up",
        generation: made.generation,
        refuses: null,
        warnings: [],
      });
      expect(keysOf(archive, answer.sessionId)).toEqual(keysIn(path));
      const memory = memoryAnswer.parse(await memoryOf(archive, answer.sessionId));
      expect(memory.compactions.map(({ kind, status }) => [kind, status])).toEqual(
        Array.from({ length: made.generation }, () => ["agent", "complete"]),
      );
      expect(memory.held).toBe(true);
      expect(memory.items).toHaveLength(6);
      expect(memory.items.map(({ text }) => text)).toEqual([
        ...readDirectory(path).episodic.map(({ summary }) => summary),
        ...readDirectory(path).semantic.map(({ fact }) => fact),
      ]);
      expect(await showSession(archive, answer.sessionId)).toMatchObject({ turns: 54, agent: "Autobyteus" });
      const again = await attachDirectory(archive, path);
      expect(again).toMatchObject({ sessionId: answer.sessionId, created: false, added: 0 });
      expect([bytesIn(path), timesIn(path)]).toEqual(before);
      expect(existsSync(join(path, "..", "..", ".artifacts"))).toBe(false);
    }));

  test("shows the pictures of its messages, as its agent sent them", () =>
    withFolder(made, async (archive, path) => {
      const url = "data:image/png;base64,aW1hZ2U=";
      const media = { images: [url, "https://example.org/a.png", "/tmp/b.png"], audio: [], video: [] };
      appendFileSync(join(path, FILES.rawTraces), line({ media }));
      const { sessionId } = await attachDirectory(archive, path);
      const { payload } = await contextOf(archive, sessionId, { at: undefined, as: "openai-chat" });
      const { messages } = JSON.parse(payload.json) as { messages: { content: unknown }[] };
      expect(messages.at(-1)!.content).toEqual([
        { type: "text", text: "Later" },
        { type: "image_url", image_url: { url } },
      ]);
      const [kept] = tracesIn(archive, sessionId, findSession(archive, sessionId)).active.slice(-1);
      expect(kept!.trace.media).toEqual(media);
    }));

  test("is compacted by its own protocol, archived first, and is byte for byte what it was when that is undone", () =>
    withFolder(made, async (archive, path) => {
      const before = { bytes: bytesIn(path), lines: linesIn(path) };
      const { sessionId } = await attachDirectory(archive, path);
      const planned = await compactSession(archive, sessionId, request({ dryRun: true }));
      expect(planned).toMatchObject({ status: "planned", kind: "applied" });
      expect(bytesIn(path)).toEqual(before.bytes);
      const done = compactAnswer.parse(await compactSession(archive, sessionId, request()));
      expect(done).toMatchObject({ status: "complete", kind: "applied", unit: "turn" });
      expect(done.turns).toHaveLength(48);
      const now = readDirectory(path);
      expect(new Set(now.traces.map(({ turnId }) => turnId)).size).toBe(2);
      expect(linesIn(path)).toEqual(before.lines);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      expect(now.episodic.at(-1)).toMatchObject({ summary: done.summary });
      expect(now.snapshot).toMatchObject({ epochId: 4 });
      expect(now.snapshot!.messages[0]!.content).toBe("You are careful.");
      expect(now.warnings).toEqual([]);
      const { items } = await memoryOf(archive, sessionId);
      expect(items.filter(({ deletedAt }) => deletedAt === null)).toHaveLength(
        now.episodic.length + now.semantic.length,
      );
      expect(await refreshAttached(archive, sessionId)).toMatchObject({ added: 0 });
      expect(await compactSession(archive, sessionId, request())).toMatchObject({ status: "complete", id: done.id });
      expect(await undoCompaction(archive, done.id!)).toMatchObject({ status: "undone", sessionId });
      expect(bytesIn(path)).toEqual(before.bytes);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      expect(await undoCompaction(archive, done.id!)).toMatchObject({ status: "undone" });
      expect((await memoryOf(archive, sessionId)).items.filter(({ deletedAt }) => deletedAt === null)).toHaveLength(6);
      expect(await refreshAttached(archive, sessionId)).toMatchObject({ added: 0 });
    }));

  test("is followed: what its agent appended comes as events, and stays when a compaction is undone", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      appendFileSync(join(path, FILES.rawTraces), line({}));
      expect(await refreshAttached(archive, sessionId)).toMatchObject({ added: 1 });
      const { id } = await compactSession(archive, sessionId, request());
      appendFileSync(join(path, FILES.rawTraces), line({ seq: 2, trace_type: "assistant", content: "Yes." }));
      const lines = linesIn(path);
      await undoCompaction(archive, id!);
      expect(linesIn(path)).toEqual(lines);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
    }));

  test("is refused, with nothing written, when its agent writes while the compaction is planned", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const compacting = compactSession(archive, sessionId, request());
      // The folder was read when this returned; the plan of what was read is being made.
      appendFileSync(join(path, FILES.rawTraces), line({}));
      const bytes = bytesIn(path);
      const code = await codeOf(compacting);
      expect(code).toBe("conflict");
      expect(bytesIn(path)).toEqual(bytes);
      expect((await memoryOf(archive, sessionId)).compactions.filter(({ kind }) => kind === "applied")).toEqual([]);
      expect(await compactSession(archive, sessionId, request())).toMatchObject({ status: "complete" });
    }));

  test("cannot be taken back once its agent rewrote it, and nothing is written then", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const { id } = await compactSession(archive, sessionId, request());
      const file = join(path, FILES.rawTraces);
      writeFileSync(file, readFileSync(file, "utf8").split("\n").slice(3).join("\n"));
      const bytes = bytesIn(path);
      expect(await codeOf(undoCompaction(archive, id!))).toBe("conflict");
      expect(bytesIn(path)).toEqual(bytes);
      expect(keysOf(archive, sessionId).active).toEqual(keysIn(path).active);
    }));

  test("tells of a compaction that its agent made itself, and of one that it took back", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const agent = new AutobyteusStore(path, { host: testHost() });
      const gone = agent.listTraces().filter(({ turnId }) => turnId !== null && turnId < "turn_0030");
      const remove = new Set(gone.map(traceKey));
      const item = { id: "ep_agent", ts: 1_780_000_001, turnIds: [], summary: "By its agent", salience: 0 };
      agent.compact({ runId: "agents-own", episodic: [item], semantic: [], remove, snapshot: null });
      await refreshAttached(archive, sessionId);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      const compactions = (await memoryOf(archive, sessionId)).compactions;
      expect(compactions).toHaveLength(made.generation + 1);
      agent.undo("agents-own");
      agent.close();
      await refreshAttached(archive, sessionId);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      expect((await memoryOf(archive, sessionId)).compactions.at(-1)).toMatchObject({ status: "undone" });
    }));

  test("loses nothing in the log when its agent forgets everything", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId, events } = await attachDirectory(archive, path);
      for (const name of [
        FILES.rawTraces,
        FILES.rawTracesArchive,
        FILES.archiveFolder,
        FILES.archiveManifest,
        FILES.episodic,
      ])
        rmSync(join(path, name), { recursive: true, force: true });
      const after = await refreshAttached(archive, sessionId);
      expect(after.events).toBeGreaterThan(events);
      expect(keysOf(archive, sessionId).active).toEqual([]);
      const { items } = await memoryOf(archive, sessionId);
      expect(items.filter(({ deletedAt }) => deletedAt !== null)).toHaveLength(3);
    }));

  test("finds a compaction that was cut short behind the folder, and takes it back like any other", () =>
    withFolder(made, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const before = bytesIn(path);
      archive.sqlite.exec(
        "CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.compactions BEGIN SELECT RAISE(ABORT, 'killed'); END",
      );
      await expect(compactSession(archive, sessionId, request())).rejects.toThrow(/killed/);
      archive.sqlite.exec("DROP TRIGGER refuse");
      expect(new Set(readDirectory(path).traces.map(({ turnId }) => turnId)).size).toBe(2);
      await refreshAttached(archive, sessionId);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      const found = (await memoryOf(archive, sessionId)).compactions.at(-1)!;
      expect(found).toMatchObject({ kind: "applied", status: "complete" });
      expect(found.reason).toContain("Found in the folder");
      await undoCompaction(archive, found.id);
      expect(bytesIn(path)).toEqual(before);
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
    }));
});

describe("attaching", () => {
  test("names a second folder of the same agent id by its path too, and lists both", () =>
    inArchive(async (archive, logs) => {
      const paths = ["a", "b"].map((base) => join(logs, base, "agents", "made-up"));
      for (const path of paths) makeDirectory(path, { generation: 1, style: "python", turns: 2 });
      const [one, two] = [await attachDirectory(archive, paths[0]!), await attachDirectory(archive, paths[1]!)];
      expect(one.nativeId).toBe("autobyteus:made-up");
      expect(two.nativeId).toMatch(/^autobyteus:made-up-[0-9a-f]{8}$/);
      const { attached } = attachedList.parse(await listAttached(archive));
      expect(attached.map(({ path }) => path)).toEqual(paths);
    }));

  test("refuses what is no memory folder, and says which ones are below it", () =>
    inArchive(async (archive, logs) => {
      mkdirSync(join(logs, "empty"), { recursive: true });
      writeFileSync(join(logs, "file"), "x");
      makeDirectory(join(logs, "base", "agents", "one"), { generation: 1, style: "python", turns: 1 });
      expect(await codeOf(attachDirectory(archive, join(logs, "nowhere")))).toBe("not_found");
      expect(await codeOf(attachDirectory(archive, join(logs, "empty")))).toBe("invalid");
      expect(await codeOf(attachDirectory(archive, join(logs, "file")))).toBe("invalid");
      await expect(attachDirectory(archive, join(logs, "base"))).rejects.toThrow(/agents\/one/);
      expect((await listAttached(archive)).attached).toEqual([]);
    }));

  test("takes no events of others, and a session that was not attached is not looked at", () =>
    withFolder({ generation: 2, style: "javascript", turns: 3 }, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      expect(() => archiveMemoryStore(archive, sessionId)).toThrow(/only read/);
      archive.sqlite.exec("DELETE FROM attached");
      expect(await codeOf(refreshAttached(archive, sessionId))).toBe("not_found");
    }));

  test("shows a folder whose generation nothing tells, and writes nothing into it", () =>
    inArchive(async (archive, logs) => {
      const path = join(logs, "unknown");
      mkdirSync(path, { recursive: true });
      const turns = Array.from({ length: 6 }, (_, n) =>
        line({ id: `rt_${n}`, ts: n, turn_id: `turn_${n}`, content: "Say it again. ".repeat(100) }),
      );
      writeFileSync(join(path, FILES.rawTraces), turns.join(""));
      const before = bytesIn(path);
      const { sessionId, refuses } = await attachDirectory(archive, path);
      expect(refuses).toContain("is unknown, so it is read-only");
      expect(await compactSession(archive, sessionId, request({ dryRun: true }))).toMatchObject({ status: "planned" });
      expect(await codeOf(compactSession(archive, sessionId, request()))).toBe("unsupported");
      expect(bytesIn(path)).toEqual(before);
    }));

  test("leaves what a person changed of an item, until its agent writes another text", () =>
    withFolder({ generation: 2, style: "javascript", turns: 3 }, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const { changeMemory } = await import("./session-memory.ts");
      const person = { by: "person", who: "person" } as const;
      const [item] = (await memoryOf(archive, sessionId)).items;
      await changeMemory(archive, sessionId, { do: "edit", id: item!.id, text: "Mine" }, person);
      await refreshAttached(archive, sessionId);
      expect((await memoryOf(archive, sessionId)).items[0]!.text).toBe("Mine");
      const file = join(path, FILES.episodic);
      writeFileSync(file, readFileSync(file, "utf8").replace("Étape 1", "Stage one"));
      await refreshAttached(archive, sessionId);
      expect((await memoryOf(archive, sessionId)).items[0]!.text).toContain("Stage one");
    }));
});

describe("detaching", () => {
  test("leaves folder and session as they are, and follows the folder no more", () =>
    withFolder({ generation: 2, style: "python", turns: 12 }, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const before = [bytesIn(path), timesIn(path)];
      const keys = keysOf(archive, sessionId);
      expect(await detachDirectory(archive, sessionId)).toEqual({ sessionId, path });
      expect([bytesIn(path), timesIn(path)]).toEqual(before);
      expect((await listAttached(archive)).attached).toEqual([]);
      appendFileSync(join(path, FILES.rawTraces), line({}));
      expect(await memoryOf(archive, sessionId)).toMatchObject({ held: false });
      expect(keysOf(archive, sessionId)).toEqual(keys);
      // What nobody follows gets a plan beside it, as an imported session does.
      expect(await compactSession(archive, sessionId, request({ dryRun: true }))).toMatchObject({ kind: "plan" });
      for (const again of [detachDirectory, refreshAttached])
        expect(await codeOf(again(archive, sessionId))).toBe("not_found");
    }));

  test("attached again, the folder goes on in its session, with all that came meanwhile and what stood beside it", () =>
    withFolder({ generation: 2, style: "javascript", turns: 12 }, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      const before = keysIn(path).active;
      const done = await compactSession(archive, sessionId, request());
      await detachDirectory(archive, sessionId);
      expect(await codeOf(undoCompaction(archive, done.id!))).toBe("not_found");
      appendFileSync(join(path, FILES.rawTraces), line({}));
      const again = await attachDirectory(archive, path);
      expect(again).toMatchObject({ sessionId, created: true, added: 1 });
      expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
      expect((await memoryOf(archive, sessionId)).compactions.map(({ id }) => id)).toContain(done.id);
      await undoCompaction(archive, done.id!);
      const { traces } = readDirectory(path);
      expect(traces.map(traceKey).toSorted()).toEqual([...before, traceKey(traces.at(-1)!)].toSorted());
      expect(traces.at(-1)!.content).toBe("Later");
    }));

  test("a look that was under way does not attach the folder again", () =>
    withFolder({ generation: 2, style: "python", turns: 12 }, async (archive, path) => {
      const { sessionId } = await attachDirectory(archive, path);
      appendFileSync(join(path, FILES.rawTraces), line({}));
      const detaching = detachDirectory(archive, sessionId);
      const looks = [refreshAttached(archive, sessionId), lookAgain(archive, findSession(archive, sessionId))] as const;
      await detaching;
      expect(await codeOf(looks[0])).toBe("not_found");
      expect(await looks[1]).toBeNull();
      expect((await listAttached(archive)).attached).toEqual([]);
    }));

  test("a folder of the same name that is attached meanwhile is another session", () =>
    inArchive(async (archive, logs) => {
      const [one, two] = ["a", "b"].map((base) => join(logs, base, "agents", "made-up"));
      for (const path of [one!, two!]) makeDirectory(path, { generation: 1, style: "python", turns: 2 });
      const first = await attachDirectory(archive, one!);
      await detachDirectory(archive, first.sessionId);
      const second = await attachDirectory(archive, two!);
      expect(second.sessionId).not.toBe(first.sessionId);
      expect((await attachDirectory(archive, one!)).sessionId).toBe(first.sessionId);
    }));
});

const FIRST = hasData
  ? readdirSync(join(DATA, "ts-gen1", "agents")).map((name) => join(DATA, "ts-gen1", "agents", name))
  : [];
const SECOND = hasData ? readdirSync(join(DATA, "workspace")).filter((name) => name.endsWith(FILES.rawTraces)) : [];

describe.skipIf(!hasData)("a real directory", () => {
  const stays = async (archive: Archive, path: string): Promise<void> => {
    const before = bytesIn(path);
    const { sessionId } = await attachDirectory(archive, path);
    expect(keysOf(archive, sessionId)).toEqual(keysIn(path));
    expect(await compactSession(archive, sessionId, request())).toMatchObject({ status: "nothing_to_compact" });
    expect(bytesIn(path)).toEqual(before);
    expect((await check(archive)).problems).toEqual([]);
  };

  test.each(FIRST.map((path) => [basename(path), path]))(
    "%s of the first generation has nothing to compact",
    (name, from) =>
      inArchive(async (archive, logs) => {
        const path = join(logs, "agents", name);
        cpSync(from, path, { recursive: true });
        await stays(archive, path);
      }),
  );

  test.each(SECOND)("%s of the second generation has nothing to compact", (name) =>
    inArchive(async (archive, logs) => {
      const path = join(logs, "agents", "sample");
      mkdirSync(path, { recursive: true });
      const stem = name.slice(0, -FILES.rawTraces.length);
      for (const file of [FILES.rawTraces, FILES.snapshot])
        if (existsSync(join(DATA, "workspace", stem + file)))
          cpSync(join(DATA, "workspace", stem + file), join(path, file));
      await stays(archive, path);
    }),
  );
});
