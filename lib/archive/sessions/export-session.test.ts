import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import type { Host } from "#lib/kernel/host.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { exportSession } from "./export-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { summaryOfSession } from "./show-session.ts";

const projectDir = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const fixtures = join(projectDir, "lib", "formats", "fixtures");
const data = join(projectDir, "..", "shared", "data");

const base = mkdtempSync(join(tmpdir(), "plimsoll-export-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const host: Host = {
  uptime: () => 0,
  now: () => Date.UTC(2026, 0, 1),
  tokenizers: { idFor: () => null, load: async (id) => ({ id, count: () => 0 }) },
  prices: { rates: () => null, window: () => null },
};

let archives = 0;
async function withArchive<T>(use: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await openArchive({ dir: join(base, `archive-${++archives}`), host });
  try {
    return await use(archive);
  } finally {
    await closeArchive(archive);
  }
}

async function textOf(archive: Archive, id: string): Promise<string> {
  let text = "";
  for await (const line of exportSession(archive, id)) text += line;
  return text;
}

const idsOf = (archive: Archive): string[] =>
  archive.sqlite.prepare("SELECT id FROM sessions ORDER BY pk").pluck().all() as string[];

/** What a session is made of, without what names it, and without where its bytes lie. */
function contentOf(archive: Archive, id: string) {
  const { sqlite } = archive;
  const pk = sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck().get(id) as number;
  return {
    // An export names its agent, also where a file leaves that to its format.
    agent: summaryOfSession(archive, pk).agent,
    session: sqlite
      .prepare(
        `SELECT title, title_rank, agent_version, model, cwd, branch, relation, started_at, ended_at, demo, next_seq, next_call,
           turn, calls, compactions, artifacts, peak_tokens, peak_call, window FROM sessions WHERE pk = ?`,
      )
      .get(pk),
    tally: withoutLineage(
      JSON.parse(sqlite.prepare("SELECT tally FROM sessions WHERE pk = ?").pluck().get(pk) as string),
    ),
    events: sqlite
      .prepare(
        `SELECT id - ? AS seq, type, ts, turn, call, tool_call_id, tool_name, keyed, hex(CASE keyed WHEN 1 THEN record_key END) AS key, bytes,
           hex(digest) AS digest, artifact IS NOT NULL AS kept, category, label, extra_tokens, starts_turn, synthetic
         FROM events WHERE id BETWEEN ? AND ? ORDER BY id`,
      )
      .all(pk * 2 ** 32, pk * 2 ** 32, (pk + 1) * 2 ** 32 - 1),
    calls: sqlite
      .prepare(
        `SELECT call, key, first_seq, model, ts, input_uncached, cache_read, cache_write, cache_write_1h, output, reasoning, web_searches,
           output_lower_bound, has_usage
         FROM model_calls WHERE session_pk = ? ORDER BY call`,
      )
      .all(pk),
    interactions: sqlite
      .prepare(
        `SELECT tool_call_id, tool_name, call_seq, result_seq, status, hosted, hex(input_digest) AS input, started_at, ended_at, duration_ms,
           agent_id FROM tool_interactions WHERE session_pk = ? ORDER BY pk`,
      )
      .all(pk),
    artifacts: sqlite
      .prepare(
        `SELECT seq, digest, size, line_count, width, height, saw, offloaded_by, tool_name, tool_call_id, created_at FROM artifacts
         WHERE session_pk = ? ORDER BY pk`,
      )
      .all(pk),
  };
}

/** A file that stands alone inherits nothing; events that wait for a call never told have forgotten its key. */
function withoutLineage(counters: Record<string, unknown>) {
  const { calls: _calls, usage: _usage, open: _open, settledRecords: _settledRecords, ...rest } = counters;
  return rest;
}

type Trip = { first: string; second: string; before: unknown; after: unknown };

async function* roundTrips(paths: readonly string[]): AsyncGenerator<Trip> {
  const exported: { text: string; content: unknown }[] = [];
  await withArchive(async (archive) => {
    await importPaths(archive, paths);
    for (const id of idsOf(archive))
      exported.push({ text: await textOf(archive, id), content: contentOf(archive, id) });
  });
  for (const [i, { text, content }] of exported.entries()) {
    const path = join(base, `exported-${archives}-${i}.jsonl`);
    writeFileSync(path, text);
    yield await withArchive(async (archive) => {
      const { files } = await importPaths(archive, [path]);
      expect(files[0]!.errors).toEqual([]);
      const [id, ...others] = idsOf(archive);
      expect(others).toEqual([]);
      return { first: text, second: await textOf(archive, id!), before: content, after: contentOf(archive, id!) };
    });
  }
}

async function expectRoundTrips(paths: readonly string[]): Promise<number> {
  let sessions = 0;
  for await (const { first, second, before, after } of roundTrips(paths)) {
    expect(after).toEqual(before);
    // Not toBe: a difference in a file of megabytes takes minutes to print.
    expect(first === second, "the second export differs from the first").toBe(true);
    sessions++;
  }
  return sessions;
}

describe("a session that is exported, imported and exported again", () => {
  for (const name of readdirSync(fixtures).filter((file) => /\.jsonl$/.test(file)))
    test(`is the same: fixture ${name}`, async () => {
      expect(await expectRoundTrips([join(fixtures, name)])).toBeGreaterThan(0);
    });

  for (const format of ["claude-code", "codex"])
    test.skipIf(!existsSync(join(data, format)))(
      `is the same: every session of the ${format} data`,
      async () => {
        expect(await expectRoundTrips([join(data, format)])).toBeGreaterThan(10);
        // 10 s on an idle machine; each of some sixty archives waits for the disk a dozen times.
      },
      300_000,
    );
});

test("an export begins with a header that only our own format detects", async () => {
  await withArchive(async (archive) => {
    const path = join(fixtures, "codex-synthetic-session.jsonl");
    await importPaths(archive, [path]);
    const head = new TextEncoder().encode((await textOf(archive, idsOf(archive)[0]!)).slice(0, 64 * 1024));
    const detected = FORMATS.filter((format) => format.detect({ path: "x.jsonl", head, sidecars: new Map() }));
    expect(detected.map((format) => format.id)).toEqual(["plimsoll"]);
  });
});

test("an exported session beside its origin is a copy: its records are counted once", async () => {
  await withArchive(async (archive) => {
    const origin = join(base, "origin.jsonl");
    const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
    const header = { plimsoll: 1, id: "a-origin", title: "Two records", titleRank: 2 };
    const events = [1, 2].map((n) => ({ record: "event", uuid: uuid(n), body: { type: "assistant", text: `${n}` } }));
    const copied = { ...header, id: "b-copy" };
    writeFileSync(origin, [header, ...events].map((value) => `${JSON.stringify(value)}\n`).join(""));
    await importPaths(archive, [origin]);
    const text = (await textOf(archive, "a-origin")).split("\n").slice(1).join("\n");
    const copy = join(base, "copy.jsonl");
    writeFileSync(copy, `${JSON.stringify(copied)}\n${text}`);
    await importPaths(archive, [copy]);
    const inherited = archive.sqlite.prepare(
      "SELECT sum(inherited) FROM events e JOIN sessions s ON e.id / 4294967296 = s.pk WHERE s.native_id = ?",
    );
    expect(inherited.pluck().get("plimsoll:a-origin")).toBe(0);
    expect(inherited.pluck().get("plimsoll:b-copy")).toBe(2);
  });
});

describe("any log", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.nat({ max: 3 }).map((n) => "line of a long output\n".repeat(n * 150)),
  );
  const tokens = fc.nat({ max: 100_000 });
  const usage = fc
    .record({
      inputUncached: tokens,
      cacheRead: tokens,
      cacheWrite: tokens,
      cacheWrite1h: tokens,
      output: tokens,
      reasoning: tokens,
      webSearches: fc.nat({ max: 9 }),
    })
    .map((one) => ({ ...one, cacheWrite1h: Math.min(one.cacheWrite1h, one.cacheWrite) }));
  const body = fc.oneof(
    fc.record({ type: fc.constantFrom("user", "assistant", "reasoning"), text }),
    fc.record({
      type: fc.constant("tool_call"),
      toolCallId: key,
      toolName: fc.constantFrom("read", "task"),
      input: fc.jsonValue(),
    }),
    fc.record(
      {
        type: fc.constant("tool_result"),
        toolCallId: fc.option(key),
        text,
        isError: fc.boolean(),
        saw: fc.constantFrom("full", "preview"),
        detail: fc.record({ agentId: key, exitCode: fc.integer() }, { requiredKeys: [] }),
      },
      { requiredKeys: ["type", "toolCallId", "text"] },
    ),
    fc.record({
      type: fc.constant("compaction"),
      kind: fc.constantFrom("full", "micro"),
      trigger: fc.constantFrom("auto", "manual", null),
      tokensBefore: fc.option(tokens),
      tokensAfter: fc.option(tokens),
      text,
      preserved: fc.array(key, { maxLength: 2 }),
    }),
  );
  const record = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record(
        {
          record: fc.constant("event"),
          uuid: key,
          call: key,
          body,
          startsTurn: fc.boolean(),
          synthetic: fc.boolean(),
          full: text,
        },
        { requiredKeys: ["record", "body"] },
      ),
    },
    {
      weight: 3,
      arbitrary: fc.record(
        {
          record: fc.constant("call"),
          key,
          usage: usage.map((of) => ({ ...of, origin: "reported" })),
          outputLowerBound: fc.boolean(),
          window: fc.integer({ min: 1, max: 1e6 }),
        },
        { requiredKeys: ["record", "key"] },
      ),
    },
    { weight: 1, arbitrary: fc.record({ record: fc.constant("link"), toolCallId: key, agentId: key }) },
    { weight: 1, arbitrary: fc.record({ record: fc.constant("lost"), usage }) },
  );

  /**
   * A whole output stands beside a preview only; a model call is told once; no record is that of another run; a link is to an
   * id that is used once (a link to an id that is used again means all that were before it).
   */
  function lawful(records: readonly object[], run: number): object[] {
    const result = new Set<string>();
    return records.flatMap((value) => {
      const { full, uuid, ...rest } = value as Loose;
      if (rest.record === "call" && result.has(rest.key!)) return [];
      if (rest.record === "call") result.add(rest.key!);
      const named = (records as Loose[]).filter(({ body }) => body?.toolCallId === rest.toolCallId);
      if (rest.record === "link" && new Set(named.map(({ body }) => body!.type)).size < named.length) return [];
      const isPreview = rest.body?.type === "tool_result" && rest.body.saw === "preview";
      return [{ ...rest, ...(uuid && { uuid: `${run}-${uuid}` }), ...(isPreview && { full }) }];
    });
  }
  type Loose = {
    record: string;
    key?: string;
    full?: string;
    uuid?: string;
    toolCallId?: string;
    body?: { type: string; saw?: string; toolCallId?: string };
  };

  test("comes back as it was: calls told before, among and after their events", async () => {
    let run = 0;
    // Two archives for all runs: opening one waits for the disk a dozen times.
    await withArchive((one) =>
      withArchive((other) =>
        fc.assert(
          fc.asyncProperty(fc.array(record, { maxLength: 25 }), async (records) => {
            const id = `any-${++run}`;
            const path = join(base, `${id}.jsonl`);
            const lines = [{ plimsoll: 1, id }, ...lawful(records, run)].map((value) => JSON.stringify(value));
            writeFileSync(path, `${lines.join("\n")}\n`);
            expect((await importPaths(one, [path])).files[0]!.errors).toEqual([]);
            const first = await textOf(one, id);
            const again = join(base, `${id}-again.jsonl`);
            writeFileSync(again, first);
            expect((await importPaths(other, [again])).files[0]!.errors).toEqual([]);
            const publicId = idsOf(one).at(-1)!;
            expect(contentOf(other, publicId)).toEqual(contentOf(one, publicId));
            expect(await textOf(other, id)).toBe(first);
          }),
          { numRuns: 60 },
        ),
      ),
    );
  });
});
