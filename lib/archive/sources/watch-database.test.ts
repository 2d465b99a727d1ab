// A database that its agent writes in a process of its own is followed: what stands in its log alone, behind a checkpoint, behind a crash,
// and in another database of its name.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import type { Archive } from "../base/archive-type.ts";
import { inFolder, testHost, withArchive } from "../testing-archive.ts";
import { noteGone, watchArchive } from "./watch-sources.ts";

const SQLITE = pathToFileURL(join(import.meta.dirname, "../../../node_modules/better-sqlite3/lib/index.js")).href;

/** Runs each line that it is given as SQL, and answers it. */
const WRITER = `
  import { createInterface } from "node:readline";
  const { default: Database } = await import(process.argv[1]);
  const sqlite = new Database(process.argv[2]);
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("wal_autocheckpoint = 0");
  for await (const line of createInterface({ input: process.stdin })) {
    sqlite.exec(line);
    process.stdout.write("done\\n");
  }`;

const TABLES =
  "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER); " +
  "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT); " +
  "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);";

const said = (session: string, n: number, text: string): string =>
  `INSERT OR IGNORE INTO session VALUES ('${session}', NULL, '/reef', 'Reef', '1', ${n}, ${n}); UPDATE session SET time_updated = ${n} WHERE id = '${session}'; ` +
  `INSERT INTO message VALUES ('m${n}', '${session}', ${n}, ${n}, '{"role":"user"}'); ` +
  `INSERT INTO part VALUES ('p${n}', 'm${n}', '${session}', ${n}, ${n}, '{"type":"text","text":"${text}"}');`;

class Agent {
  readonly #process: ChildProcess;
  constructor(path: string) {
    this.#process = spawn(process.execPath, ["--input-type=module", "-e", WRITER, SQLITE, path]);
  }
  async write(sql: string): Promise<void> {
    this.#process.stdin!.write(`${sql}\n`);
    await once(this.#process.stdout!, "data");
  }
  async crash(): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}

const textsOf = ({ sqlite }: Archive): unknown[] =>
  sqlite.prepare("SELECT json_extract(body, '$.text') FROM events WHERE type = 'user' ORDER BY ts").pluck().all();

test(
  "it is followed from its log",
  () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "archive"),
        async (archive) => {
          const folder = join(dir, "logs");
          const path = join(folder, "opencode.db");
          mkdirSync(folder);
          const stop = new AbortController();
          let work = Promise.resolve();
          const read = (paths: readonly string[]): void => {
            work = work.then(async () => {
              await importPaths(archive, noteGone(archive, paths), { isWatched: true, final: false });
            });
          };
          watchArchive(archive, {
            ...{ roots: () => [folder], onChanged: read, onSettled: read, onDiscover: read },
            signal: stop.signal,
          });
          let agent = new Agent(path);
          const at = Date.now();
          const expectTexts = (texts: readonly string[]): Promise<void> =>
            expect.poll(() => textsOf(archive), { timeout: 8000, interval: 50 }).toEqual(texts);
          try {
            await agent.write(TABLES);
            await agent.write(said("a", at + 1, "one"));
            await expectTexts(["one"]);
            await agent.write(said("a", at + 2, "two"));
            await expectTexts(["one", "two"]);
            await agent.write("PRAGMA wal_checkpoint(TRUNCATE);");
            await agent.write(said("a", at + 3, "three"));
            await expectTexts(["one", "two", "three"]);
            // What was not committed is in the log, and is nothing.
            await agent.write(`BEGIN; ${said("a", at + 4, "never")}`);
            await agent.crash();
            agent = new Agent(path);
            await agent.write(said("a", at + 5, "four"));
            await expectTexts(["one", "two", "three", "four"]);
            await agent.crash();
            rmSync(folder, { recursive: true });
            mkdirSync(folder);
            agent = new Agent(path);
            await agent.write(TABLES);
            await agent.write(said("b", at + 6, "five"));
            await expectTexts(["one", "two", "three", "four", "five"]);
          } finally {
            stop.abort();
            await agent.crash();
            await work;
          }
        },
        testHost(() => Date.now()),
      ),
    ),
  60_000,
);
