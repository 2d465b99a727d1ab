// An archive that an older version made is right after it was read again, from its own bytes alone; what people had beside
// a session stays; a write that comes meanwhile goes first.
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  SESSION,
  text,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import type { ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { check } from "../upkeep/check-archive.ts";
import { compactSession } from "../memory/compact.ts";
import { listSources } from "../sources/list-sources.ts";
import { showSession } from "../sessions/show-session.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { outdatedSources, readAgain } from "./read-again.ts";
import { families } from "./testing-families.ts";

/** As a version before would have left it: its number, and figures that it worked out otherwise. */
function makeOlder(archive: Archive): void {
  archive.sqlite.exec(`
    UPDATE sources SET format_version = format_version - 1;
    UPDATE sources SET state = '{}', records = 1;
    UPDATE model_calls SET output = output + 1000, cache_write = 0, usd = 99, priced = 1;
    UPDATE sessions SET usd = 99, tally = '{}', title = 'older', calls = 0, peak_tokens = 1, model = 'older';
    UPDATE tool_interactions SET status = 'pending', result_seq = NULL;
    DELETE FROM lineage;
    UPDATE events SET inherited = 0;
  `);
}

const steps = (count: number, output = "ok"): Rec[] =>
  Array.from({ length: count }, (_, n) => n).flatMap((n) => [
    prompt(`p${n}`, n * 10, `Step ${n}`),
    answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` }), { stop: "tool_use" }),
    result(`r${n}`, n * 10 + 2, `t${n}`, output),
    answer(`b${n}`, n * 10 + 3, `${n}b`, text(`Done ${n}`)),
  ]);

test("an output that the agent cut is of the same type when its bytes are read again", () =>
  inArchive(async (archive, logs) => {
    const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ berth: n, boat: `boat ${n}` })).join("\n");
    const stdout = `${lines}\nThe folder was left.`;
    const seen = `Full output saved to: /home/sailor/tool-results/t.txt\n\nPreview (first 1KB):\n${stdout.slice(0, 990)}`;
    const cut = result("r", 2, "t", `<persisted-output>\n${seen}\n...\n</persisted-output>`);
    const record = { ...cut, toolUseResult: { stdout, stderr: "" } };
    const call = answer("a", 1, "1", asks("t", "Bash", { command: "list" }), { stop: "tool_use" });
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(prompt("p", 0, "List"), call, record))]);
    const kinds = archive.sqlite.prepare("SELECT name, content_type, size FROM artifacts");
    const before = kinds.all();
    expect(before).toEqual([expect.objectContaining({ content_type: "application/x-ndjson" })]);
    archive.sqlite.exec("UPDATE sources SET format_version = format_version - 1");
    expect((await readAgain(archive)).sources).toBe(1);
    expect(kinds.all()).toEqual(before);
  }));

test("every format has a version", () => {
  for (const { version } of FORMATS) expect(version).toBeGreaterThanOrEqual(1);
});

/** The last versions that weighed images by another rule. */
const OLD_WEIGHTS = { "claude-code": 4, codex: 2, plimsoll: 2 };

test("what was read when images weighed otherwise is read again", () =>
  inArchive(async (archive, logs) => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const record = { ...prompt("p", 0, ""), message: { role: "user", content: [image] } };
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(record))]);
    const weight = archive.sqlite.prepare("SELECT max(extra_tokens) FROM events").pluck();
    const now = weight.get() as number;
    expect(now).toBeGreaterThan(1);
    for (const [format, version] of Object.entries(OLD_WEIGHTS)) {
      archive.sqlite.exec("UPDATE events SET extra_tokens = 1");
      archive.sqlite.prepare("UPDATE sources SET format_version = ?").run(version);
      expect(FORMATS.find(({ id }) => id === format)!.version).toBeGreaterThan(version);
      expect((await readAgain(archive)).sources).toBe(1);
      expect(weight.get()).toBe(now);
    }
  }));

test("forks, copies and sub-agents of an older archive are as if they were imported today, their files gone", () =>
  fc.assert(
    fc.asyncProperty(families, (files) =>
      inFolder((dir) =>
        withArchive(join(dir, "archive"), async (archive) => {
          const logs = join(dir, "logs");
          for (const { name, lines } of files) put(logs, name, lines.join(""));
          await importPaths(archive, [logs]);
          expect(outdatedSources(archive)).toEqual([]);
          const before = dumpOf(archive, logs);
          makeOlder(archive);
          rmSync(logs, { recursive: true });
          const { failed, left, cancelled } = await readAgain(archive);
          expect({ failed, left, cancelled }).toEqual({ failed: [], left: 0, cancelled: false });
          const after = dumpOf(archive, logs);
          // A parser's state is not a figure; an older copy is not read, and says how it was.
          for (const table of Object.keys(before).filter((name) => name !== "sources"))
            expect(after[table], table).toEqual(before[table]);
          expect(outdatedSources(archive)).toEqual([]);
          expect((await check(archive)).problems).toEqual([]);
        }),
      ),
    ),
    { numRuns: 40 },
  ));

test("what lay beside a file that is gone is not lost: the whole output, the sub-agent's name, and that it is gone", () =>
  inArchive(async (archive, logs) => {
    const whole = "a line of the whole output\n".repeat(3000);
    const path = put(logs, `${SESSION}/tool-results/t0.txt`, whole);
    const preview = `<persisted-output>\nOutput too large (79KB). Full output saved to: ${path}\n\nPreview (first 2KB):\na line\n</persisted-output>`;
    put(logs, `${SESSION}.jsonl`, jsonl(...steps(1, preview)));
    const agent = jsonl(
      prompt("q", 1, "Look", { isSidechain: true, agentId: "a1" }),
      answer("qa", 2, "qa", text("Seen"), { more: { isSidechain: true, agentId: "a1" } }),
    );
    put(logs, `${SESSION}/subagents/agent-a1.jsonl`, agent);
    put(
      logs,
      `${SESSION}/subagents/agent-a1.meta.json`,
      JSON.stringify({ agentType: "explorer", description: "Look around", toolUseId: "t0" }),
    );
    await importPaths(archive, [logs]);
    const paths = (await listSources(archive, { limit: 9, offset: 0 })).sources.map((source) => source.path);
    rmSync(logs, { recursive: true });
    noteGone(archive, paths);
    const before = dumpOf(archive, logs);
    expect(before["artifacts"]).toHaveLength(1);
    archive.sqlite.exec("UPDATE sources SET format_version = format_version - 1; UPDATE sessions SET usd = 99");
    expect(await readAgain(archive)).toMatchObject({ sources: 2, sessions: 2, failed: [] });
    expect(dumpOf(archive, logs)).toEqual(before);
    expect((await listSources(archive, { limit: 9, offset: 0 })).sources.map(({ status }) => status)).toEqual([
      "gone",
      "gone",
    ]);
  }));

test("a plan, its note, a deleted artifact and the page's version outlive it", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, jsonl(...steps(12, "output of a step\n".repeat(600))));
    const { files } = await importPaths(archive, [path]);
    const id = files[0]!.sessions[0]!;
    const plan = await compactSession(archive, id, compactRequest.parse({ tail: 1, dryRun: false }));
    const pointer = archive.sqlite.prepare("SELECT pointer FROM artifacts LIMIT 1").pluck().get() as string;
    await deleteArtifact(archive, pointer);
    const version = async (): Promise<number> => Number((await showSession(archive, id)).version.split(".")[1]);
    const rows = () => archive.sqlite.prepare("SELECT id, reason, seqs, summary FROM compactions").all();
    const before = { rows: rows(), version: await version() };
    expect(before.rows).toHaveLength(1);
    expect(before.rows[0]).toMatchObject({ id: plan.id });
    makeOlder(archive);
    await readAgain(archive);
    expect(rows()).toEqual(before.rows);
    expect(await version()).toBeGreaterThan(before.version);
    const row = archive.sqlite.prepare("SELECT deleted_at FROM artifacts WHERE pointer = ?").get(pointer);
    expect(row).toMatchObject({ deleted_at: expect.any(Number) });
    expect((await check(archive)).problems).toEqual([]);
  }));

test("a file that grew since is read anew, not gone on with by another parser's memory", () =>
  inArchive(async (archive, logs) => {
    const all = steps(6);
    put(logs, `${SESSION}.jsonl`, jsonl(...all.slice(0, 10)));
    await importPaths(archive, [logs]);
    makeOlder(archive);
    put(logs, `${SESSION}.jsonl`, jsonl(...all));
    // The same file, longer: its inode stays, as an agent leaves it.
    expect((await importPaths(archive, [logs])).files[0]).toMatchObject({ status: "grown" });
    expect(outdatedSources(archive)).toEqual([]);
    const grown = dumpOf(archive, logs);
    await inFolder((dir) =>
      withArchive(join(dir, "fresh"), async (fresh) => {
        await importPaths(fresh, [logs]);
        expect(grown).toEqual(dumpOf(fresh, logs));
      }),
    );
  }));

test("a write that comes while a large source is read goes first, and both are there in the end", () =>
  inArchive(async (archive, logs) => {
    const long = `${"x".repeat(2000)}\n`.repeat(100);
    put(logs, `${SESSION}.jsonl`, jsonl(...steps(60, long)));
    await importPaths(archive, [logs]);
    const before = dumpOf(archive, logs);
    makeOlder(archive);
    await createSession(archive, { id: "mine" });
    const done: string[] = [];
    const store = async (name: string): Promise<void> => {
      await storeArtifact(archive, { session: "plimsoll:mine", name }, Buffer.from(name));
      done.push(name);
    };
    let put1: Promise<void> | undefined;
    const again = readAgain(archive, {
      pauseMs: 5,
      // The source is being read when the write is asked for.
      between: async () => void setImmediate(() => void (put1 = store("first"))),
    }).then((result) => (done.push("again"), result));
    expect(await again).toMatchObject({ sources: 1, left: 0 });
    await put1;
    expect(done).toEqual(["first", "again"]);
    const after = dumpOf(archive, logs);
    for (const table of ["events", "calls", "interactions", "sources"])
      expect(after[table], table).toEqual(before[table]);
    expect((await check(archive)).problems).toEqual([]);
  }));

test("a source that no pause is found for is left, as it was, for the next start", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, jsonl(...steps(3)));
    await importPaths(archive, [logs]);
    makeOlder(archive);
    const rows = () => archive.sqlite.prepare("SELECT * FROM sessions").all();
    const before = rows();
    const others = { go: true };
    const busy = async (): Promise<void> => {
      while (others.go) {
        await archive.turn.take();
        await new Promise((resume) => setImmediate(resume));
        archive.turn.give();
      }
    };
    const two = [busy(), busy()];
    expect(await readAgain(archive, { pauseMs: 0 })).toMatchObject({ sources: 0, left: 1, failed: [] });
    others.go = false;
    await Promise.all(two);
    expect(rows()).toEqual(before);
    expect(await readAgain(archive)).toMatchObject({ sources: 1, left: 0 });
  }));

test("it can be cancelled, says how far it is, and goes on where it was; one damaged source keeps no other back", () =>
  inArchive(async (archive, logs) => {
    for (const label of ["a", "b", "c", "d"]) {
      const sessionId = idOf(label);
      put(
        logs,
        `${sessionId}.jsonl`,
        jsonl(
          { ...prompt(`p${label}`, 1, label), sessionId },
          { ...answer(`a${label}`, 2, label, text("Yes")), sessionId },
        ),
      );
    }
    await importPaths(archive, [logs]);
    const before = dumpOf(archive, logs);
    makeOlder(archive);
    const stop = new AbortController();
    const seen: ImportProgress[] = [];
    const first = await readAgain(archive, {
      signal: stop.signal,
      onProgress: (progress) => seen.push(progress),
      onSessions: () => stop.abort(),
    });
    expect(first).toMatchObject({ sources: 1, cancelled: true });
    expect(outdatedSources(archive)).toHaveLength(3);
    expect(seen.map(({ kind, state, filesDone, files }) => ({ kind, state, filesDone, files }))).toEqual([
      { kind: "read-again", state: "running", filesDone: 0, files: 4 },
      { kind: "read-again", state: "cancelled", filesDone: 1, files: 4 },
    ]);
    const broken = outdatedSources(archive)[0]!;
    const kept = archive.sqlite.prepare("SELECT zstd FROM raw_blocks WHERE source_pk = ?").pluck().get(broken.pk);
    archive.sqlite.prepare("UPDATE raw_blocks SET zstd = x'00' WHERE source_pk = ?").run(broken.pk);
    const second = await readAgain(archive);
    expect(second).toMatchObject({ sources: 2, cancelled: false });
    expect(second.failed.map(({ path }) => path)).toEqual([broken.path]);
    archive.sqlite.prepare("UPDATE raw_blocks SET zstd = ? WHERE source_pk = ?").run(kept, broken.pk);
    expect(await readAgain(archive)).toMatchObject({ sources: 1, failed: [] });
    expect(dumpOf(archive, logs)).toEqual(before);
  }));
