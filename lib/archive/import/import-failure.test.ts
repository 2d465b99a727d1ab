// An import that the disk refuses goes on by itself where that may help, and says what to do where it does not.
import { expect, test } from "vitest";
import { jsonl, idOf, prompt } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { dumpOf, inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { useSmallBatches } from "./testing-import-crash.ts";

const fill = (logs: string): void => {
  for (const name of ["one", "two", "three"])
    put(
      logs,
      `${idOf(name)}.jsonl`,
      jsonl(...[0, 1, 2].map((n) => prompt(`${name}${n}`, n, `${name} `.repeat(500), { sessionId: idOf(name) }))),
    );
};

/** Barriers fail with this code, from one on, so often. */
function failFlush(archive: Archive, code: string, from: number, times: number): void {
  const { blobs } = archive;
  const flush = blobs.flush.bind(blobs);
  let request = 0;
  blobs.flush = async () => {
    request++;
    if (request > from && request <= from + times)
      throw Object.assign(new Error(`${code}: no such file or directory, open '/synthetic/blobs/ab/cd'`), { code });
    await flush();
  };
}

test.each([0, 1, 2, 3])("after a failure of barrier %i that passes the files are all there, each told once", (from) =>
  inArchive(async (archive, logs) => {
    fill(logs);
    const fresh = await inArchive(async (other, others) => {
      fill(others);
      await importPaths(other, [others]);
      return dumpOf(other, others);
    });
    const restore = useSmallBatches();
    try {
      failFlush(archive, "ENOENT", from, 1);
      const answer = await importPaths(archive, [logs]);
      expect(answer.files.map(({ path }) => path).toSorted()).toHaveLength(3);
      expect(new Set(answer.files.map(({ path }) => path)).size).toBe(3);
      expect(dumpOf(archive, logs)).toEqual(fresh);
      expect((await check(archive)).problems).toEqual([]);
    } finally {
      restore();
    }
  }),
);

test.each([
  ["ENOSPC", "The disk of the archive is full. Free some space, then retry to read the rest."],
  ["EROFS", "The archive folder cannot be written (EROFS). Check its permissions, then retry to read the rest."],
])("%s stops an import with a sentence, and a retry reads everything", (code, message) =>
  inArchive(async (archive, logs) => {
    fill(logs);
    failFlush(archive, code, 0, 1);
    await expect(importPaths(archive, [logs])).rejects.toMatchObject({ code: "conflict", message });
    const { files } = await importPaths(archive, [logs]);
    expect(files.map(({ status }) => status)).toEqual(["imported", "imported", "imported"]);
  }),
);

test("a failure that does not pass is told without its path, after some tries", { timeout: 20_000 }, () =>
  inArchive(async (archive, logs) => {
    fill(logs);
    failFlush(archive, "ENOENT", 0, 1000);
    await expect(importPaths(archive, [logs])).rejects.toMatchObject({
      message: "The archive could not store the import (ENOENT). Retry to read the rest.",
    });
  }),
);
