// Files that are given back or downloaded while they are read again: one version of them, or a sentence.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonl, prompt, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { openSourceBytes } from "../sources/source-bytes.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { restoreSession } from "./restore-session.ts";
import { sessionFiles } from "./session-files.ts";

/** Some MB, of several blocks. */
const steps = (name: string, from: number, count: number): string =>
  Array.from({ length: count }, (_, n) =>
    jsonl(prompt(`${name}${n}`, from + n, `${name} ${n} ${"x".repeat(20_000)}`)),
  ).join("");

const inSession = (run: (archive: Archive, id: string, path: string, dir: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, steps("old", 0, 120));
    const { files } = await importPaths(archive, [path]);
    await run(archive, files[0]!.sessions[0]!, path, logs);
  });

/** The bytes; `run`: what happens behind the first piece. */
async function textOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, run?: () => Promise<unknown>) {
  const got: Uint8Array[] = [];
  for await (const piece of pieces) {
    got.push(piece);
    if (got.length === 1) await run?.();
  }
  return Buffer.concat(got).toString();
}

type Change = (archive: Archive, id: string, path: string) => Promise<unknown>;
const CHANGES: readonly [string, Change][] = [
  ["written anew", (archive, _, path) => importPaths(archive, [anew(path)])],
  ["removed", (archive, id) => removeSession(archive, id)],
];

function anew(path: string): string {
  return put(join(path, ".."), `${SESSION}.jsonl`, steps("new", 0, 121));
}

test.each(CHANGES)("a file that is %s while it is given back is not mixed", (_, change) =>
  inSession(async (archive, id, path) => {
    const { files } = await sessionFiles(archive, findSession(archive, id));
    await expect(textOf(files[0]!.bytes(), () => change(archive, id, path))).rejects.toMatchObject({
      code: "conflict",
    });
  }),
);

test.each(CHANGES)("a file that is %s while it is downloaded is not mixed", (_, change) =>
  inSession(async (archive, id, path) => {
    const { bytes } = await openSourceBytes(archive, path);
    await expect(textOf(bytes(), () => change(archive, id, path))).rejects.toMatchObject({ code: "conflict" });
  }),
);

test("a download of what was removed before its first byte says so", () =>
  inSession(async (archive, id, path) => {
    const { bytes } = await openSourceBytes(archive, path);
    await removeSession(archive, id);
    await expect(textOf(bytes())).rejects.toMatchObject({ code: "conflict" });
  }));

test("a file that only grows is given as it was, and a restore of it writes that", () =>
  inSession(async (archive, id, path, dir) => {
    const { bytes, sizeBytes } = await openSourceBytes(archive, path);
    const grow = async (): Promise<void> => {
      appendFileSync(path, steps("more", 1000, 2));
      await importPaths(archive, [path]);
    };
    expect((await textOf(bytes(), grow)).length).toBe(sizeBytes);
    const to = join(dir, "given");
    await restoreSession(archive, { session: id, to, roots: [] });
    expect(existsSync(to)).toBe(true);
  }));
