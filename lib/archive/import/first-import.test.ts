// A first import never fails: a folder of files into 200 fresh archives, while other work keeps a processor busy. On a
// real disk: in memory the barriers cost nothing, and what they wait for is done before anybody looks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answer, asks, idOf, prompt, result } from "#lib/formats/claude-code/testing-claude.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const ARCHIVES = 200;
const FILES = 2;
const OUTPUTS = 24;

let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "plimsoll-first-import-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A session whose tools returned outputs of 5 kB, each with its own content. */
function sessionLines(file: number): string {
  const sessionId = idOf(`file ${file}`);
  const more = { sessionId };
  const lines = Array.from({ length: OUTPUTS }, (_, i) => {
    const at = i * 10;
    const id = `${file}-${i}`;
    return [
      prompt(`p${id}`, at, `Do step ${i}`, more),
      answer(`a${id}`, at + 1, id, asks(`t${id}`, "Bash", { command: `run ${i}` }), { more }),
      { ...result(`r${id}`, at + 2, `t${id}`, `output ${id}\n`.repeat(450)), ...more },
    ];
  });
  return lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

test(`a folder is imported into ${ARCHIVES} fresh archives beside a busy processor`, { timeout: 240_000 }, async () => {
  const logs = join(base, "logs");
  for (let file = 0; file < FILES; file++) {
    const path = join(logs, "project", `${idOf(`file ${file}`)}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, sessionLines(file));
  }
  // Small blocks: outputs are staged between the turns of the event loop in which a barrier goes on, as in large files. With
  // the fault that this test was written for, 6 of 20 imports failed.
  const before = { ...LIMITS };
  Object.assign(LIMITS, { rawBlockBytes: 8000, batchMs: 60_000 });
  const busy = new Worker("for (;;) Math.random();", { eval: true });
  const failures: string[] = [];
  try {
    for (let i = 0; i < ARCHIVES; i++) {
      const dir = join(base, `archive-${i}`);
      await withArchive(dir, async (archive) => {
        const { totals } = await importPaths(archive, [logs]);
        expect([totals.sessions, totals.artifacts, totals.errors]).toEqual([FILES, FILES * OUTPUTS, 0]);
      }).catch((error: unknown) => failures.push(`${i}: ${String(error)}`));
      rmSync(dir, { recursive: true, force: true });
    }
  } finally {
    Object.assign(LIMITS, before);
    await busy.terminate();
  }
  expect(failures).toEqual([]);
});
