// A memory folder of a session that is read again while its texts are read: all of one reading.
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { memoryFolderOf } from "./export-memory-folder.ts";

const steps = (name: string, count: number): string =>
  Array.from({ length: count }, (_, n) =>
    jsonl(
      prompt(`${name}p${n}`, n * 3, `${name} ${n}`),
      answer(`${name}a${n}`, n * 3 + 1, `${name}${n}`, asks(`${name}t${n}`, "Bash", { command: `run ${n}` })),
      result(`${name}r${n}`, n * 3 + 2, `${name}t${n}`, `${name} ${n}\n`.repeat(900)),
    ),
  ).join("");

const inSession = (run: (archive: Archive, id: string, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, `${SESSION}.jsonl`, steps("old", 8))]);
    await run(archive, files[0]!.sessions[0]!, logs);
  });

/** Runs once, while the first text is read. */
function whileRead(archive: Archive, run: () => Promise<unknown>): void {
  const { read } = archive.blobs;
  let running: Promise<unknown> | null = null;
  Object.assign(archive.blobs, {
    async *read(...given: Parameters<typeof read>) {
      await (running ??= run());
      yield* read(...given);
    },
  });
}

test("a session that is read again meanwhile gives no texts to the traces of others", () =>
  inSession(async (archive, id, logs) => {
    const whole = await memoryFolderOf(archive, id);
    expect(whole.traces.length).toBeGreaterThan(20);
    whileRead(archive, () =>
      importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(prompt("first", 0, "First")) + steps("new", 8))]),
    );
    await expect(memoryFolderOf(archive, id)).rejects.toMatchObject({ code: "conflict" });
  }));

test("one that only goes on meanwhile is as it was", () =>
  inSession(async (archive, id, logs) => {
    const whole = await memoryFolderOf(archive, id);
    whileRead(archive, () =>
      importPaths(archive, [put(logs, `${SESSION}.jsonl`, steps("old", 8) + jsonl(prompt("last", 90, "Last")))]),
    );
    expect(await memoryFolderOf(archive, id)).toEqual(whole);
  }));
