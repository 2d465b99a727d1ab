// Checkpoints of Entire: beside an agent's own file lies a short form of it. Both are one session.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { expect, test } from "vitest";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
const [full, short] = ["claude-code-synthetic-session.jsonl", "entire-synthetic-session.jsonl"].map((name) =>
  readFileSync(join(FIXTURES, name)),
);
const FILES = {
  "00/0123456789/0/full.jsonl": full!,
  "00/0123456789/0/transcript.jsonl": short!,
  "01/0123456789/0/transcript.jsonl": short!,
};

test("the short form is read where the agent's file is not beside it, in a folder and in an archive", async () => {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(FILES)) zip.addBuffer(bytes, name);
  zip.end();
  const packed = await buffer(zip.outputStream as NodeJS.ReadableStream);
  await inArchive(async (archive, logs) => {
    for (const [name, bytes] of Object.entries(FILES)) {
      mkdirSync(join(logs, name, ".."), { recursive: true });
      put(logs, name, bytes);
    }
    const { files } = await importPaths(archive, [logs]);
    expect(files.map(({ path, format }) => [path.slice(logs.length + 1), format]).toSorted()).toEqual([
      ["00/0123456789/0/full.jsonl", "claude-code"],
      ["01/0123456789/0/transcript.jsonl", "entire"],
    ]);
  });
  await inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "checkpoints.zip", packed)]);
    expect(files.map(({ format }) => format).toSorted()).toEqual(["archive", "claude-code", "entire"]);
  });
});
