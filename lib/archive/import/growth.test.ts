// A source that grows, is replaced, goes and comes back; an import that is cancelled; the same import again.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { shaped } from "#lib/formats/claude-code/testing-claude-requests.ts";
import type { Archive } from "../base/archive-type.ts";
import { listSources } from "../sources/list-sources.ts";
import { showSession } from "../sessions/show-session.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { Batch } from "../base/batch.ts";
import { importFile } from "./import-file.ts";
import { importPaths } from "./import-paths.ts";
import { useSmallBatches } from "./testing-import-crash.ts";
import { families } from "./testing-families.ts";

/** A session of so many steps, with an output that is kept apart in each third. */
const steps = (from: number, to: number): Rec[] =>
  Array.from({ length: to - from }, (_, i) => from + i).flatMap((n) => [
    prompt(`p${n}`, n * 10, `Step ${n}`),
    answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` }), { stop: "tool_use" }),
    result(`r${n}`, n * 10 + 2, `t${n}`, n % 3 === 0 ? `output of ${n}\n`.repeat(500) : "ok"),
    answer(`b${n}`, n * 10 + 3, `${n}b`, text(`Done ${n}`)),
  ]);

const NAME = `${SESSION}.jsonl`;

async function freshDump(dir: string, logs: string): Promise<ReturnType<typeof dumpOf>> {
  return withArchive(join(dir, `fresh${Math.random()}`), async (archive) => {
    await importPaths(archive, [logs]);
    return dumpOf(archive, logs);
  });
}

const inBoth = (run: (archive: Archive, logs: string, fresh: () => ReturnType<typeof freshDump>) => Promise<void>) =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), (archive) => {
      const logs = join(dir, "logs");
      return run(archive, logs, () => freshDump(dir, logs));
    }),
  );

test("a reading that an earlier release left goes on, whatever its state was named: nothing comes a second time", () =>
  inBoth(async (archive, logs, fresh) => {
    const own = { sessionId: SESSION };
    const first = [...steps(0, 2), { ...shaped("one", ["You are a pilot."], ["Bash"]), ...own }];
    const then = [...steps(2, 4), { ...shaped("one", ["You are a pilot."], ["Bash"]), ...own }, ...steps(4, 5)];
    const path = put(logs, NAME, jsonl(...first));
    await importPaths(archive, [logs]);
    const renamed = archive.sqlite
      .prepare(
        "UPDATE sources SET state = json_remove(json_set(state, '$.told', json(state -> '$.lastValues')), '$.lastValues') WHERE state -> '$.lastValues' IS NOT NULL",
      )
      .run();
    expect(renamed.changes).toBe(1);
    appendFileSync(path, jsonl(...then));
    await importPaths(archive, [logs]);
    expect(dumpOf(archive, logs)).toEqual(await fresh());
  }));

test("a file that came in any two halves is the file that came whole", async () => {
  const bytes = Buffer.from(jsonl(...steps(0, 4)));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), fc.boolean(), (cut, isFinal) =>
      inBoth(async (archive, logs, fresh) => {
        const path = put(logs, NAME, bytes.subarray(0, cut));
        await importPaths(archive, [path], { final: isFinal });
        appendFileSync(path, bytes.subarray(cut));
        await importPaths(archive, [path]);
        expect(dumpOf(archive, logs)).toEqual(await fresh());
      }),
    ),
    // The first: cut before the newline that ends a line, and taken as whole.
    { numRuns: 25, examples: [[bytes.indexOf("\n", bytes.length / 2), true]] },
  );
});

test("a file is opened once for what is new, and only that is told", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, jsonl(...steps(0, 3)));
    const first = await importPaths(archive, [path]);
    expect(first.files[0]).toMatchObject({
      status: "imported",
      format: "claude-code",
      events: 12,
      modelCalls: 6,
      artifacts: 1,
    });
    appendFileSync(path, jsonl(...steps(3, 4)));
    const second = await importPaths(archive, [path]);
    expect(second.files[0]).toMatchObject({ status: "grown", events: 4, modelCalls: 2, artifacts: 1 });
    const third = await importPaths(archive, [path]);
    expect(third.files[0]).toMatchObject({ status: "unchanged", events: 0, sessions: first.files[0]!.sessions });
    expect(third.totals.bytes).toBe(0);
  }));

test("importing again what did not change changes nothing, down to the rows", async () => {
  const [family] = fc.sample(families, { numRuns: 1, seed: 3 });
  await inArchive(async (archive, logs) => {
    for (const { name, lines } of family!) put(logs, name, lines.join(""));
    await importPaths(archive, [logs]);
    const tables = [
      "sources",
      "sessions",
      "events",
      "model_calls",
      "tool_interactions",
      "artifacts",
      "lineage",
      "import_errors",
    ];
    const rows = () => tables.map((table) => archive.sqlite.prepare(`SELECT * FROM ${table}`).all());
    const before = rows();
    const again = await importPaths(archive, [logs]);
    expect(again.files.map(({ status }) => status)).toEqual(family!.map(() => "unchanged"));
    expect(rows()).toEqual(before);
  });
});

test("source files are byte for byte, and in time and inode, what they were", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, jsonl(...steps(0, 3)));
    utimesSync(path, 1_700_000_000, 1_700_000_001);
    chmodSync(path, 0o440);
    const state = () => {
      const { ino, mtimeMs, ctimeMs, size, mode } = statSync(path);
      return { ino, mtimeMs, ctimeMs, size, mode, sha: createHash("sha256").update(readFileSync(path)).digest("hex") };
    };
    const before = state();
    await importPaths(archive, [logs]);
    await importPaths(archive, [path]);
    expect(state()).toEqual(before);
  }));

test("a replaced file replaces its log, in a new shape too", () =>
  inBoth(async (archive, logs, fresh) => {
    const path = put(logs, NAME, jsonl(...steps(0, 5)));
    await importPaths(archive, [path]);
    put(logs, `${NAME}.new`, jsonl(...steps(0, 2), ...steps(7, 9)));
    renameSync(join(logs, `${NAME}.new`), path);
    const { files } = await importPaths(archive, [path]);
    expect(files[0]?.status).toBe("replaced");
    expect(dumpOf(archive, logs)).toEqual(await fresh());
    writeFileSync(path, jsonl(...steps(3, 4)));
    expect((await importPaths(archive, [path])).files[0]?.status).toBe("replaced");
    expect(dumpOf(archive, logs)).toEqual(await fresh());
  }));

test("when the file that others copied from is replaced, what they held becomes theirs", () =>
  inBoth(async (archive, logs, fresh) => {
    const forked = idOf("a fork of it");
    const path = put(logs, NAME, jsonl(...steps(0, 3)));
    put(logs, `${forked}.jsonl`, jsonl(...steps(0, 4).map((record) => ({ ...record, sessionId: forked }))));
    await importPaths(archive, [logs]);
    expect((await showSession(archive, forked)).modelCalls).toEqual({ own: 2, inherited: 6 });
    writeFileSync(path, jsonl(...steps(20, 21)));
    await importPaths(archive, [path]);
    expect((await showSession(archive, forked)).modelCalls).toEqual({ own: 8, inherited: 0 });
    expect(dumpOf(archive, logs)).toEqual(await fresh());
  }));

test("an older copy comes back when the newer file is replaced by another session", () =>
  inBoth(async (archive, logs, fresh) => {
    put(logs, `backup/${NAME}`, jsonl(...steps(0, 2)));
    const path = put(logs, `live/${NAME}`, jsonl(...steps(0, 4)));
    await importPaths(archive, [logs]);
    const older = (await listSources(archive, { limit: 10, offset: 0, status: "older copy" })).sources;
    expect(
      older.map(({ path, events, reason }) => [path.replace(logs, ""), events, reason?.replace(logs, "")]),
    ).toEqual([[`/backup/${NAME}`, 0, `An older copy: all its records are in /live/${NAME}.`]]);
    writeFileSync(path, jsonl(...steps(10, 14)));
    await importPaths(archive, [logs]);
    await importPaths(archive, [logs]);
    expect(dumpOf(archive, logs)).toEqual(await fresh());
    const held = archive.sqlite.prepare("SELECT earlier, records FROM sessions ORDER BY earlier, records").all();
    expect(held).toEqual([
      { earlier: null, records: 8 },
      { earlier: null, records: 16 },
      // What the newer file held and the older copy does not.
      { earlier: 1, records: 8 },
    ]);
  }));

test("a file that is gone keeps everything, says so, and may come back", () =>
  inArchive(async (archive, logs) => {
    const bytes = jsonl(...steps(0, 4));
    const path = put(logs, NAME, bytes);
    const { files } = await importPaths(archive, [path]);
    const { sources: _, ...before } = dumpOf(archive, logs);
    renameSync(path, `${path}.away`);
    expect(noteGone(archive, [path])).toEqual([]);
    await importPaths(archive, [logs]);
    const { sources: __, ...after } = dumpOf(archive, logs);
    expect(after).toEqual(before);
    const session = await showSession(archive, files[0]!.sessions[0]!);
    expect(session.status).toBe("gone");
    expect(session.source?.gone).toBe(true);
    renameSync(`${path}.away`, path);
    await importPaths(archive, [logs]);
    expect((await showSession(archive, files[0]!.sessions[0]!)).status).not.toBe("gone");
    rmSync(path);
  }));

test("a file that could not be read for a while is read again, and no longer called failed", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, jsonl(...steps(0, 2)));
    await importPaths(archive, [path]);
    renameSync(path, `${path}.away`);
    put(logs, `${NAME}/folder.txt`, "a folder stands in its place");
    const during = await importPaths(archive, [path, join(logs, "nothing.jsonl")]);
    expect(during.files.map(({ status }) => status)).toContain("failed");
    rmSync(path, { recursive: true });
    renameSync(`${path}.away`, path);
    await importPaths(archive, [path]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.find((source) => source.path === path)).toMatchObject({ status: "ok", reason: null });
  }));

test("a cancelled import keeps what it read, and the next one reads the rest", () =>
  inBoth(async (archive, logs, fresh) => {
    const restore = useSmallBatches();
    try {
      put(logs, `a/${NAME}`, jsonl(...steps(0, 12)));
      const other = idOf("the other");
      put(logs, `b/${other}.jsonl`, jsonl(...steps(0, 20).map((record) => ({ ...record, sessionId: other }))));
      for (let round = 0; round < 12; round++) {
        const stop = new AbortController();
        let result = 0;
        const answer = await importPaths(archive, [logs], {
          signal: stop.signal,
          onProgress: () => (++result === 2 + round ? stop.abort() : undefined),
        });
        if (round === 0) expect(answer.cancelled).toBe(true);
        if (!answer.cancelled) break;
      }
      await importPaths(archive, [logs]);
      expect(dumpOf(archive, logs)).toEqual(await fresh());
    } finally {
      restore();
    }
  }));

test("a replacement that is cancelled shows the old log or the new one, never half of it", () =>
  inBoth(async (archive, logs, fresh) => {
    const restore = useSmallBatches();
    try {
      const path = put(logs, NAME, jsonl(...steps(0, 10)));
      await importPaths(archive, [path]);
      const before = dumpOf(archive, logs);
      writeFileSync(path, jsonl(...steps(30, 50)));
      const stop = new AbortController();
      const batch = new Batch(archive);
      const given = await importFile(archive, batch, path, {
        roots: [logs],
        final: true,
        signal: stop.signal,
        onBytes: () => stop.abort(),
      });
      await batch.commit();
      expect(given.status).toBe("skipped");
      expect(dumpOf(archive, logs)).toEqual(before);
      await importPaths(archive, [path]);
      expect(dumpOf(archive, logs)).toEqual(await fresh());
    } finally {
      restore();
    }
  }));

test("a file whose lines change its session's name ends as if read whole", () =>
  inBoth(async (archive, logs, fresh) => {
    const other = idOf("another session");
    const path = put(logs, "notes.jsonl", jsonl(...steps(0, 1)));
    await importPaths(archive, [path]);
    appendFileSync(path, jsonl(...steps(1, 6).map((record) => ({ ...record, sessionId: other }))));
    await importPaths(archive, [path]);
    expect((await showSession(archive, other)).turns).toBe(6);
    expect(dumpOf(archive, logs)).toEqual(await fresh());
  }));

test("an older copy that grows past the other becomes the session, and the other the older copy", () =>
  inBoth(async (archive, logs, fresh) => {
    const path = put(logs, `a/${NAME}`, jsonl(...steps(0, 2)));
    put(logs, `b/${NAME}`, jsonl(...steps(0, 4)));
    await importPaths(archive, [logs]);
    appendFileSync(path, jsonl(...steps(2, 6)));
    await importPaths(archive, [logs]);
    expect(dumpOf(archive, logs)).toEqual(await fresh());
    const { sources } = await listSources(archive, { limit: 10, offset: 0, status: "older copy" });
    expect(sources.map((source) => source.path)).toEqual([join(logs, `b/${NAME}`)]);
  }));

test("a record that is written twice in a row counts once", () =>
  inArchive(async (archive, logs) => {
    const records = steps(0, 1);
    const path = put(
      logs,
      NAME,
      jsonl(records[0], records[1], records[1], records[2], records[3], line("user", "p0", 9)),
    );
    const { files } = await importPaths(archive, [path]);
    const session = await showSession(archive, files[0]!.sessions[0]!);
    expect(session).toMatchObject({ records: 6, toolCalls: 1, turns: 1, modelCalls: { own: 2, inherited: 0 } });
    expect(session.events).toEqual({ user: 1, tool_call: 1, tool_result: 1, assistant: 1, meta: 2 });
  }));
