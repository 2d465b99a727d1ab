// A database with damaged pages, or none: a check always ends with a report, and what is whole is still there.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { check } from "./check-archive.ts";
import { checkFiles } from "./check-files.ts";
import { importPaths } from "../import/import-paths.ts";
import { isDamaged } from "../base/is-damaged.ts";
import { rebuild } from "./rebuild-archive.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";

/** An imported session and one of an agent, in an archive that was closed. */
async function filled(base: string): Promise<string> {
  const dir = join(base, "archive");
  const records = [0, 1, 2, 3, 4, 5].flatMap((n) => [
    prompt(`p${n}`, n * 10, `Step ${n}`),
    answer(`a${n}`, n * 10 + 1, `m${n}`, asks(`t${n}`, "Read", { file_path: `/tides/${n}.txt` })),
    result(`r${n}`, n * 10 + 2, `t${n}`, `${n} of the tables\n`.repeat(500)),
  ]);
  put(base, `logs/${SESSION}.jsonl`, jsonl(...records));
  await withArchive(dir, async (archive) => {
    await importPaths(archive, [join(base, "logs")]);
    const { id } = await createSession(archive, { id: "s" });
    for (let i = 0; i < 5; i++) await storeArtifact(archive, { session: id }, Buffer.from(`stored by an agent ${i}`));
    // No page that holds nothing: what is lost of it is not missed.
    archive.sqlite.exec("VACUUM");
  });
  return dir;
}

/** What the command does, without a process for each. */
async function checked(dir: string): Promise<CheckAnswer> {
  try {
    const archive = await openArchive({ dir, host: testHost(), mode: "read" });
    try {
      return await check(archive);
    } finally {
      await closeArchive(archive);
    }
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return checkFiles(dir, error);
  }
}

const PAGE = 8192;

test("whatever page is damaged, check and rebuild end with a report that says so", { timeout: 120_000 }, () =>
  inFolder(async (base) => {
    const sound = await filled(base);
    const pages = readFileSync(join(sound, "archive.db")).length / PAGE;
    expect(pages).toBeGreaterThan(40);
    const silent: string[] = [];
    for (let page = 0; page < pages; page++)
      for (const [how, damage] of [
        ["zeroed", (bytes: Buffer) => bytes.fill(0)],
        ["overwritten", (bytes: Buffer) => bytes.fill(0xa5)],
      ] as const) {
        const dir = join(base, "damaged");
        cpSync(sound, dir, { recursive: true });
        const bytes = readFileSync(join(dir, "archive.db"));
        // A page that holds nothing loses nothing.
        const isFree = bytes.subarray(page * PAGE, (page + 1) * PAGE).every((byte) => byte === 0);
        damage(bytes.subarray(page * PAGE, (page + 1) * PAGE));
        writeFileSync(join(dir, "archive.db"), bytes);
        const found = await checked(dir);
        if (found.ok && !isFree) silent.push(`${page} ${how}`);
        if (page % 7 === 0) {
          const archive = await openArchive({ dir, host: testHost() }).catch((error: unknown) => {
            expect(isDamaged(error), String(error)).toBe(true);
            return null;
          });
          if (archive !== null) {
            expect((await rebuild(archive)).problems).toBeInstanceOf(Array);
            await closeArchive(archive);
          }
        }
        rmSync(dir, { recursive: true });
      }
    expect(silent).toEqual([]);
  }),
);

/** Shadows of the search index: SQLite's own check covers them, and they are made of the events' texts. */
const isIndex = (table: string): boolean => table === "search" || table.startsWith("search_");

/**
 * Rows of the journal live for seconds, and are checked when they are made good. A row number of an interaction stands in
 * three indexes too, which SQLite's own check compares; here it is changed in all of them.
 */
const SILENT = new Set(["journal.n", "journal.lines", "journal.blobs", "journal.bytes", "tool_interactions.pk"]);

test("a value that changed in any column of any table is told", { timeout: 120_000 }, () =>
  inFolder(async (base) => {
    const dir = await filled(base);
    const silent: string[] = [];
    let changed = 0;
    await withArchive(dir, async (archive) => {
      const { sqlite } = archive;
      sqlite.pragma("foreign_keys = OFF");
      const names = (sql: string, ...given: string[]): string[] =>
        sqlite
          .prepare(sql)
          .pluck()
          .all(...given) as string[];
      const tables = names(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
      );
      fillEmpty(archive, tables);
      const triggers = names("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'row_sum_%'");
      // As rot does it: nobody is told of the change.
      for (const name of names("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'row_sum_%'"))
        sqlite.exec(`DROP TRIGGER "${name}"`);
      const sound = await check(archive);
      expect(sound.rows.bad).toBe(0);
      for (const table of tables) {
        if (isIndex(table)) continue;
        for (const column of names("SELECT name FROM pragma_table_info(?)", table)) {
          sqlite.exec("SAVEPOINT one");
          if (change(archive, table, column)) {
            changed++;
            if ((await check(archive)).rows.bad === sound.rows.bad) silent.push(`${table}.${column}`);
          }
          sqlite.exec("ROLLBACK TO one; RELEASE one");
        }
      }
      for (const sql of triggers) sqlite.exec(sql);
    });
    expect(silent.toSorted()).toEqual([...SILENT].toSorted());
    expect(changed).toBeGreaterThan(250);
  }),
);

/** A row in every table that has none, whatever it would mean. */
function fillEmpty({ sqlite }: Archive, tables: readonly string[]): void {
  sqlite.pragma("ignore_check_constraints = ON");
  for (const table of tables) {
    if (isIndex(table) || sqlite.prepare(`SELECT 1 FROM "${table}"`).get() !== undefined) continue;
    const columns = sqlite.prepare("SELECT name, type FROM pragma_table_info(?)").all(table) as {
      name: string;
      type: string;
    }[];
    const values = columns.map(({ type }) => (type === "TEXT" ? "'1'" : type === "BLOB" ? "x'01'" : "1"));
    sqlite.exec(
      `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(", ")}) VALUES (${values.join(", ")})`,
    );
  }
}

/** Changes one value; false where the table lets none be there but this. */
function change({ sqlite }: Archive, table: string, column: string): boolean {
  const [first] = sqlite
    .prepare("SELECT type FROM pragma_table_info(?) WHERE name = ?")
    .pluck()
    .all(table, column) as string[];
  const other =
    first === "TEXT"
      ? `coalesce("${column}", '') || 'x'`
      : first === "BLOB"
        ? "x'0badc0de'"
        : `coalesce("${column}", 0) + 1000003`;
  const key = (
    sqlite.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").pluck().all(table) as string[]
  )
    .map((name) => `"${name}"`)
    .join(", ");
  const where = key === "" ? "1" : `(${key}) = (SELECT ${key} FROM "${table}" LIMIT 1)`;
  return sqlite.prepare(`UPDATE "${table}" SET "${column}" = ${other} WHERE ${where}`).run().changes > 0;
}

const plimsoll = (dir: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "..", "..", "..", "bin", "plimsoll.ts"), ...words], {
    encoding: "utf8",
    env: { ...process.env, HOME: join(dir, ".."), PLIMSOLL_ARCHIVE: dir },
  });

test("garbage in place of the database is told, and made anew on request, the garbage kept", () =>
  inFolder(async (base) => {
    const dir = await filled(base);
    writeFileSync(join(dir, "archive.db"), "this is no database\n".repeat(500));
    for (const words of [["sessions"], ["artifacts"], ["import", base]]) {
      const { status, stderr } = plimsoll(dir, ...words);
      expect(status).toBe(1);
      expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("plimsoll check")]);
    }
    const found = plimsoll(dir, "check", "--json");
    expect([found.status, found.stderr]).toEqual([1, ""]);
    expect(JSON.parse(found.stdout)).toMatchObject({
      ok: false,
      blobs: { checked: 11, corrupt: 0 },
      registry: { bad: 0 },
      problems: [{ kind: "database" }],
    });
    const mended = plimsoll(dir, "check", "--rebuild", "--json");
    expect([mended.status, mended.stderr]).toEqual([1, ""]);
    const after = JSON.parse(mended.stdout) as CheckAnswer;
    expect(after.problems).toMatchObject([{ kind: "database", text: expect.stringContaining("was moved to") }]);
    expect(after.rebuilt?.artifacts).toBe(11);
    expect(readdirSync(dir).some((name) => name.startsWith("archive.db.damaged-"))).toBe(true);
    expect(plimsoll(dir, "check").status).toBe(0);
    expect(existsSync(join(dir, "archive.db"))).toBe(true);
  }));
