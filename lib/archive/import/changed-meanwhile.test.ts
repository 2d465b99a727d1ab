// What happens to a file, or to its session, while an import is under way: what was done last stands.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonl, prompt, SESSION, OTHER_SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { listSources } from "../sources/list-sources.ts";
import { removeSession } from "../sources/remove-session.ts";
import { check } from "../upkeep/check-archive.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths, type ImportOptions } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const prompts = (session: string, from: number, count: number, length = 20): string =>
  jsonl(
    ...Array.from({ length: count }, (_, i) =>
      prompt(`${session}.${from + i}`, from + i, `Step ${from + i} `.padEnd(length, "x"), { sessionId: session }),
    ),
  );

/** So long that each step of an import is reported, and that a batch gives way. */
const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 210);

const rawOf = (archive: Archive, path: string): string => {
  const pk = archive.sqlite.prepare("SELECT pk FROM sources WHERE path = ?").pluck().get(path) as number;
  return Buffer.concat([...rawBytes(archive, pk, 0, 2 ** 52)]).toString();
};

/** Removes the second session while a file is read: the first, or its own. */
async function removeWhileReading(archive: Archive, logs: string, reading: string, options: ImportOptions) {
  const [first, second] = [SESSION, OTHER_SESSION].map((id) => put(logs, `${id}.jsonl`, prompts(id, 0, 3)));
  await importPaths(archive, [logs]);
  for (const [path, id] of [
    [first!, SESSION],
    [second!, OTHER_SESSION],
  ] as const)
    appendFileSync(path, prompts(id, 100, 150, 10_000));
  let removing: Promise<unknown> | null = null;
  const { files } = await importPaths(archive, options.isWatched === true ? [first!, second!] : [logs], {
    ...options,
    onProgress: ({ current, bytesDone }) => {
      wait();
      if (current?.includes(reading) === true && bytesDone > 0) removing ??= removeSession(archive, OTHER_SESSION);
    },
  });
  expect(removing).not.toBeNull();
  await removing;
  return files.find(({ path }) => path === second);
}

test.each([
  ["before its file is read again", SESSION, false],
  ["before its file, which a watcher named, is read again", SESSION, true],
  ["while its file is read", OTHER_SESSION, false],
  ["while its file, which a watcher named, is read", OTHER_SESSION, true],
])("a session that is removed %s stays removed", async (_, reading, isWatched) => {
  await inArchive(async (archive, logs) => {
    await removeWhileReading(archive, logs, reading, { isWatched });
    expect(archive.sqlite.prepare("SELECT native_id FROM sessions").pluck().all()).toEqual([`claude-code:${SESSION}`]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    const second = sources.find(({ path }) => path.includes(OTHER_SESSION));
    expect(second).toMatchObject({ status: "skipped", sessions: [] });
    expect(second!.reason).toContain("Removed from Plimsoll.");
    expect((await check(archive)).problems).toEqual([]);
  });
});

test("a file that is written anew in place while it is read is read again", async () => {
  await inArchive(async (archive, logs) => {
    const path = join(logs, `${SESSION}.jsonl`);
    const [before, now] = [prompts(SESSION, 10, 10, 2000), prompts(SESSION, 50, 10, 2000)];
    expect(before.length).toBe(now.length);
    writeFileSync(path, before);
    let isWritten = false;
    await importPaths(archive, [path], {
      onProgress: ({ bytesDone }) => {
        wait();
        if (bytesDone > 0 && !isWritten) writeFileSync(path, now);
        isWritten ||= bytesDone > 0;
      },
    });
    expect(isWritten).toBe(true);
    expect(rawOf(archive, path)).toBe(before);
    // The watcher sees its new time.
    await importPaths(archive, [path], { isWatched: true, final: false });
    expect(rawOf(archive, path)).toBe(now);
  });
});

test("a watcher's search reads an older copy again, once the file that held its records was written anew", async () => {
  await inArchive(async (archive, logs) => {
    const lines = prompts(SESSION, 0, 4);
    const path = put(logs, `${SESSION}.jsonl`, lines);
    const copy = put(logs, "copy.jsonl", lines.slice(0, lines.indexOf("\n", 1000) + 1));
    await importPaths(archive, [logs]);
    const statusOf = async () =>
      (await listSources(archive, { limit: 10, offset: 0 })).sources.find((one) => one.path === copy)!.status;
    expect(await statusOf()).toBe("older copy");
    writeFileSync(path, prompts(SESSION, 500, 2));
    await importPaths(archive, [path], { isWatched: true, final: false });
    await importPaths(archive, [logs], { isWatched: true, final: false });
    expect(await statusOf()).toBe("ok");
  });
});
