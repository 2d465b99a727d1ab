import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { testHost } from "../testing-archive.ts";

const ROWS = 100_000;
const SORTS = ["size", "created", "name", "tool", "type", "expires", "tokens", "calls", "cost"] as const;
const dir = mkdtempSync(join(tmpdir(), "plimsoll-list-"));
let archive: Archive;

beforeAll(async () => {
  archive = await openArchive({ dir, host: testHost() });
  for (let i = 0; i < 50; i++) await createSession(archive, { id: `s${i}` });
  const { sqlite } = archive;
  const blob = sqlite.prepare("INSERT INTO blobs (digest, size, line_count, created_at) VALUES (?, 1, 3, 1)");
  const row = sqlite.prepare(
    `INSERT INTO artifacts (pointer, session_pk, digest, name, tool_name, content_type, size, line_count, created_at, expires_at, origin,
       preview, deleted_at, deleted_why, checksum, load_tokens, load_origin, load_calls, load_usd, load_version)
       VALUES (?, ?, ?, ?, ?, ?, ?, 3, ?, ?, 'manual', ?, ?, ?, 0, ?, 'counted', ?, ?, 1)`,
  );
  sqlite.transaction(() => {
    for (let i = 0; i < ROWS; i++) {
      const digest = (i * 7919).toString(16).padStart(64, "0");
      blob.run(digest);
      row.run(
        `art:${i.toString(16).padStart(36, "0")}`,
        1 + (i % 50),
        digest,
        `name-${(i * 31) % ROWS}.txt`,
        ["bash", "read", "grep", "web", null][i % 5],
        ["text/plain", "application/json", "text/csv"][i % 3],
        (i * 7919) % 1_000_003,
        1e12 + ((i * 17) % 99_991),
        i % 3 === 0 ? 4e12 : null,
        "p".repeat(200),
        i % 100 === 0 ? 5 : null,
        i % 100 === 0 ? "deleted" : null,
        (i * 104_729) % 30_011,
        (i * 13) % 211,
        ((i * 7907) % 9973) / 1000,
      );
    }
    sqlite.exec("UPDATE sessions SET artifacts = 2000");
  })();
}, 120_000);
afterAll(async () => {
  await closeArchive(archive);
  rmSync(dir, { recursive: true, force: true });
});

/** Time of the processor: what else the machine does is not this list's. */
const list = (query: object) => listArtifacts(archive, artifactsQuery.parse(query));

describe.each(SORTS)("100,000 artifacts by %s", (sort) => {
  // How long it takes is measured by the bench: a busy machine would fail it here.
  test.each(["asc", "desc"] as const)(`are listed ${sort} %s with their sums, also after a write`, async (to) => {
    for (let round = 0; round < 5; round++) {
      archive.sqlite.prepare("INSERT INTO settings VALUES (?, '1')").run(`${sort}-${to}-${round}`);
      const answer = await list({ sort, dir: to, offset: round * 20_000 });
      expect([answer.total, answer.artifacts.length, answer.tools.length, answer.types.length]).toEqual([
        ROWS,
        100,
        4,
        3,
      ]);
    }
  });

  test(`are in the same order backwards by ${sort}`, async () => {
    const up = await list({ sort, dir: "asc", limit: 50 });
    const down = await list({ sort, dir: "desc", limit: 50, offset: ROWS - 50 });
    expect(down.artifacts.map((row) => row.pointer).toReversed()).toEqual(up.artifacts.map((row) => row.pointer));
  });
});

test("sums follow the filters, and what is written", async () => {
  expect((await list({ tool: "bash" })).total).toBe(20_000);
  expect((await list({ state: "deleted" })).total).toBe(1000);
  const before = await list({ session: "s7" });
  expect([before.total, before.tools.length]).toEqual([2000, 1]);
  archive.sqlite.exec("UPDATE artifacts SET deleted_at = 9, deleted_why = 'deleted' WHERE pk = 8");
  expect((await list({ state: "deleted" })).total).toBe(1001);
  expect((await list({ session: "s7" })).totalBytes).toBeLessThan(before.totalBytes);
});

test("the figure beside a tool or a type is what that choice would list", async () => {
  const { tools, types } = await list({ tool: "bash", type: "text/csv" });
  expect(tools.map(({ value }) => value)).toEqual(expect.arrayContaining(["bash", "read", "grep", "web"]));
  for (const { value, count } of tools) expect((await list({ tool: value, type: "text/csv" })).total).toBe(count);
  for (const { value, count } of types) expect((await list({ tool: "bash", type: value })).total).toBe(count);
  expect((await list({ q: "no such name" })).tools).toEqual([]);
});

test("what was not counted yet stands behind all others, in either order, and is counted", async () => {
  const { sqlite } = archive;
  sqlite.exec("UPDATE artifacts SET load_tokens = NULL, load_calls = NULL, load_usd = NULL WHERE pk % 1000 = 3");
  for (const sort of ["tokens", "calls", "cost"])
    for (const to of ["asc", "desc"]) {
      const { artifacts, unweighed } = await list({ sort, dir: to, limit: 120, offset: ROWS - 120 });
      expect(unweighed).toBe(100);
      expect(artifacts.map(({ load }) => load === null)).toEqual(Array.from({ length: 120 }, (_, at) => at >= 20));
    }
  const [most] = (await list({ sort: "cost", limit: 1 })).artifacts;
  expect(most!.load).toMatchObject({ usd: 9.972, origin: "counted" });
});

test("a session that holds most of them is listed by any column", async () => {
  const { sqlite } = archive;
  sqlite.exec("UPDATE artifacts SET session_pk = 1; UPDATE sessions SET artifacts = 100000 WHERE pk = 1");
  for (const sort of SORTS) {
    const answer = await list({ session: "s0", sort });
    expect([answer.total, answer.artifacts.length]).toEqual([ROWS, 100]);
  }
});

test.each([
  ["q", '" OR 1=1 --'],
  ["q", "*"],
  ["q", '"a'],
  ["q", "NEAR("],
  ["q", "%".repeat(1000)],
  ["tool", "'; DROP TABLE artifacts; --"],
  ["type", "text/plain' OR '1'='1"],
])("a search for hostile %s %j is text, or refused as a query", async (field, text) => {
  // A quote that is not closed is no query of the search language.
  if (field === "q" && text.startsWith('"')) await expect(list({ [field]: text })).rejects.toThrow("is not closed");
  else expect((await list({ [field]: text })).total).toBe(0);
  expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(ROWS);
});

test.each(["sort", "dir", "limit", "offset", "state"])("%s takes its words alone", (field) => {
  for (const value of ["1;drop table artifacts", "size--", "-1", "1e9", "__proto__"])
    if (!(field === "offset" && value === "1e9"))
      expect(artifactsQuery.safeParse({ [field]: value }).success).toBe(false);
});
