import { pbkdf2 } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { scalar } from "#db/statement.ts";
import { rawBytes } from "./raw-writer.ts";

const slow = promisify(pbkdf2);
const MB = 1024 * 1024;
const idOf = (i: number): string => `00000000-0000-4000-8000-00000000000${i}`;

/** Lines of a session, different in each, up to a size. */
function linesOf(i: number, bytes: number): string {
  let text = "";
  for (let n = 0; text.length < bytes; n++)
    text += `${JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      type: "user",
      uuid: `${i}-${n}`,
      sessionId: idOf(i),
      timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
      message: { role: "user", content: `file ${i}, line ${n}: ${"é words ".repeat((n * 37) % 900)}` },
    })}\n`;
  return text;
}

test("small and large files of one import keep each its own bytes, and so do the lines that come later", () =>
  inArchive(async (archive, logs) => {
    const sizes = [0.01, 2.5, 0.3, 0.02, 3.2, 1, 0.001, 1.4];
    const paths = sizes.map((size, i) => put(logs, `${idOf(i)}.jsonl`, linesOf(i, size * MB)));
    const expectWhole = (): void => {
      for (const path of paths) {
        const pk = scalar(archive.sqlite, "sources.pk", "FROM sources WHERE path = ?").get(path)!;
        const bytes = readFileSync(path);
        expect(Buffer.concat([...rawBytes(archive, pk, 0, bytes.length)]).equals(bytes)).toBe(true);
      }
    };
    // With the threads of the pool busy a block is still being packed when the next ones are read.
    let busy: Promise<unknown>[] = [];
    const onProgress = (): void => {
      if (busy.length === 0) busy = Array.from({ length: 4 }, () => slow("a", "b", 1_000_000, 64, "sha512"));
    };
    await importPaths(archive, [logs], { onProgress });
    await Promise.all(busy);
    expectWhole();
    for (const [i, path] of paths.entries()) appendFileSync(path, linesOf(i, 2000 * (i + 1)));
    const { totals } = await importPaths(archive, [logs, ...paths]);
    expect(totals.errors).toBe(0);
    expectWhole();
  }));

test("a file that is named twice and rewritten between keeps the bytes that it has", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${idOf(0)}.jsonl`, linesOf(0, 1.3 * MB));
    const after = linesOf(0, 1.2 * MB).replaceAll("words", "other");
    let request = 0;
    const options = {
      // Asked for each file, when it is about to be read.
      get final() {
        if (++request === 2) put(logs, `${idOf(0)}.jsonl`, after);
        return true;
      },
    };
    const { files } = await importPaths(archive, [path, path], options);
    expect(files.map(({ status }) => status)).toEqual(["imported", "replaced"]);
    const bytes = Buffer.concat([...rawBytes(archive, 1, 0, 4 * MB)]);
    expect(bytes.toString() === after).toBe(true);
  }));
