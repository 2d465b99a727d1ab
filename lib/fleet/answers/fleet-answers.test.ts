// Usage, findings, search and the first page of a fleet are those of the machine that its sessions came from.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { readHome } from "#lib/archive/load/home-answer.ts";
import { listFindings, markFinding, showFinding } from "#lib/archive/load/list-findings.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { calledTwice, wasteful } from "#lib/archive/load/testing-wasteful.ts";
import { usageReport, type TableRequest } from "#lib/archive/load/usage-report.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { setMark } from "#lib/archive/settings/marks.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { hostPriced, inFolder, NOW, put, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { artifactsQuery, type ArtifactRow, type ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import { findingsQuery, type FindingsAnswer } from "#lib/wire/findings-schema.ts";
import { HOME_GROUPS } from "#lib/wire/home-schema.ts";
import { searchQuery, type SearchAnswer } from "#lib/wire/search-schema.ts";
import { markRequest } from "#lib/wire/marks-schema.ts";
import { sessionsQuery, type SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { USAGE_GROUPS, usageQuery } from "#lib/wire/usage-schema.ts";
import type { FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { fleetStats } from "../fleet-stats.ts";
import { recomputeNext } from "../outdated-views.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { readerOf, sendAll } from "../testing-sender.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";
import { sumDay } from "../usage-quarters.ts";

const NOW_SECOND = (NOW - Date.UTC(2026, 0, 5, 9)) / 1000;
const BY = { who: "test", address: "here" };
const found = await testFleet();
const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
/** With sub-agents, compactions, a cost of the agent's own, MCP servers and models without a price. */
const FORMATS = /^(claude-code|codex-synthetic|cline|goose|copilot|opencode)-/;
/** Codex' models have no price. */
const HOST = hostPriced((model) =>
  model.startsWith("gpt")
    ? null
    : completeRates({ uncached: 1e-6, read: 1e-7, write: 2e-6, write1h: 2e-6, output: 4e-6 }),
);

/** Sums of fractions in another order differ in their last digits; and which session of a tie is first is nobody's choice. */
const rounded = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
  );

describe.skipIf("missing" in found)(`usage of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("is that of the machine that sent it, before its days are summed and after", { timeout: 300_000 }, () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "laptop"),
        (laptop) =>
          withArchive(
            join(dir, "node"),
            async (cache) => {
              await importPaths(
                laptop,
                readdirSync(FIXTURES).flatMap((name) => (FORMATS.test(name) ? [join(FIXTURES, name)] : [])),
              );
              for (const [n, label] of ["a", "b", "c"].entries()) {
                const lines = wasteful(label, NOW_SECOND - (n + 1) * 86_400, { file_path: `/home/ada/${n % 2}.ts` });
                const text = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
                await importPaths(laptop, [put(join(dir, "logs"), `${label}.jsonl`, text)]);
              }
              const text = calledTwice(NOW_SECOND, 4)
                .map((one) => `${JSON.stringify(one)}\n`)
                .join("");
              await importPaths(laptop, [put(join(dir, "logs"), "twice.jsonl", text)]);
              await readerOf(laptop).judge(laptop.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[]);
              await markSome(laptop);
              const node = await sendAll(fleet, laptop, cache);
              await compareAll(laptop, node);
              expect(await fleet.sql`SELECT 1 FROM usage_dirty LIMIT 1`).toHaveLength(1);
              while (await sumDay(fleet));
              expect(await fleet.sql`SELECT 1 FROM usage_dirty LIMIT 1`).toHaveLength(0);
              await compareAll(laptop, node);
              expect(await node.answers.unused(3650, "all")).toEqual(await listUnused(laptop, 3650, NOW));
              // What one may not see is in no sum.
              const other = await node.answers.usage(usageQuery.parse({ facets: "1" }) as TableRequest, ["elsewhere"]);
              expect(other).toMatchObject({ daily: [], totals: { calls: 0 }, facets: { agents: [] } });
              await forgetHours(fleet);
              await compareAll(laptop, node);
              while (await sumDay(fleet));
              expect(await fleet.sql`SELECT 1 FROM usage_hours_due`).toHaveLength(0);
              await compareAll(laptop, node);
              await compareSenders(fleet, laptop, node);
              await compareFindings(laptop, node);
              await compareSearch(laptop, node);
              await compareArtifacts(laptop, node);
              await compareLists(laptop, node);
              await believeInMany(fleet);
              await compareSearch(laptop, node);
              await compareLists(laptop, node, true);
              await recompute(fleet, cache);
              // A session that goes takes its calls along.
              await fleet.sql`DELETE FROM session_usage WHERE session IN (SELECT session FROM session_usage LIMIT 1)`;
              const before = await node.answers.usage(usageQuery.parse({}) as TableRequest, "all");
              while (await sumDay(fleet));
              const after = await node.answers.usage(usageQuery.parse({}) as TableRequest, "all");
              expect(rounded(after)).toEqual(rounded(before));
            },
            HOST,
          ),
        HOST,
      ),
    ),
  );
});

/** A label and a star on sessions, another label and a note on events. */
async function markSome(laptop: Archive): Promise<void> {
  const ids = laptop.sqlite
    .prepare("SELECT id FROM sessions WHERE parent_pk IS NULL ORDER BY id")
    .pluck()
    .all() as string[];
  const set = (n: number, request: object) => setMark(laptop, ids[n]!, markRequest.parse(request));
  await set(0, { kind: "label", value: "todo" });
  await set(1, { kind: "star" });
  await set(2, { kind: "label", value: "todo", seq: 3 });
  await set(3, { kind: "note", value: "too deep here", seq: 2 });
}

async function compareAll(laptop: Archive, node: FleetNode): Promise<void> {
  const requests = [
    ...["UTC", "Asia/Kathmandu", "Asia/Kolkata", "America/New_York"].map((timezone) => ({ timezone, facets: "1" })),
    ...USAGE_GROUPS.map((by) => ({ by })),
    ...(["weekly", "monthly", "sessions"] as const).map((period) => ({ period, by: "model", timezone: "Asia/Tokyo" })),
    { since: "2026-05-31", until: "2026-05-31", by: "project" },
    { agent: "codex", by: "tool" },
    ...["weekly", "monthly"].map((period) => ({ period, by: "tool" })),
    { agent: "codex", by: "project", timezone: "America/New_York" },
    { project: "/home/user/webshop", by: "agent", period: "weekly", timezone: "Asia/Tokyo" },
    { project: "/home/user/webshop", by: "tool", timezone: "Europe/Berlin" },
    { by: "project", timezone: "Asia/Kolkata" },
    ...[{ by: "project" }, { by: "tool" }, { period: "sessions" }].map((one) => ({ ...one, top: 1 })),
    ...[1, 3].flatMap((top) =>
      [
        { agent: "codex" },
        { project: "/home/user/webshop" },
        { since: "2026-05-31", until: "2026-05-31" },
        { model: "claude-opus-4-5" },
        { timezone: "Asia/Kolkata" },
      ].flatMap((one) => [
        { ...one, top, period: "sessions" },
        { ...one, top, by: "project" },
      ]),
    ),
    ...["monthly", "weekly"].flatMap((period) =>
      ["monday", "sunday"].map((weekStart) => ({ period, weekStart, since: "2026-05-13", until: "2026-06-30" })),
    ),
    { project: "/home/user/webshop", model: "claude-opus-4-5" },
  ];
  for (const request of requests) {
    const asked = usageQuery.parse({ timezone: "UTC", ...request }) as TableRequest;
    const own = await usageReport(laptop, asked);
    expect([request, rounded(await node.answers.usage(asked, "all"))]).toEqual([request, rounded(own)]);
  }
  const { totals } = await usageReport(laptop, usageQuery.parse({}) as TableRequest);
  expect([totals.calls > 20, totals.isPartial, totals.compactions! > 0]).toEqual([true, true, true]);
}

/** As a catalogue is whose days were summed by a version without hours. */
async function forgetHours({ sql }: Fleet): Promise<void> {
  expect((await sql`SELECT DISTINCT kind FROM usage_hours`).length).toBe(4);
  await sql`DELETE FROM usage_hours`;
  await sql`INSERT INTO usage_hours_due SELECT DISTINCT project, (at / 86400000)::integer FROM usage_quarters`;
}

const askedBy = (by?: string): TableRequest => usageQuery.parse({ timezone: "UTC", by }) as TableRequest;

async function compareGroups(node: FleetNode, totals: object): Promise<void> {
  for (const [by, groups] of [
    ["sender", ["ci", "laptop"]],
    ["person", ["", "mary@example.com"]],
    ["fleet-project", ["team"]],
  ] as const) {
    const answer = await node.answers.usage(askedBy(by), "all");
    expect([...new Set(answer.daily!.map(({ group }) => group))].toSorted()).toEqual(groups);
    expect(rounded(answer.totals)).toEqual(rounded(totals));
    const calls = answer.daily!.reduce((sum, row) => sum + row.calls, 0);
    expect(calls).toBe(answer.totals.calls);
  }
}

/** By who sent and where to: the sums of all together are those of all sessions. */
async function compareSenders(fleet: Fleet, laptop: Archive, node: FleetNode): Promise<void> {
  await expect(usageReport(laptop, askedBy("sender"))).rejects.toThrow("Usage by sender is of a fleet");
  const { totals } = await node.answers.usage(askedBy(), "all");
  const [moved] = await fleet.sql<
    { family: string }[]
  >`SELECT family FROM sessions JOIN session_usage u ON u.session = sessions.id
    WHERE parent IS NULL AND u.usd > 0 LIMIT 1`;
  await fleet.sql`UPDATE families SET sender = 'ci', person = 'mary@example.com' WHERE id = ${moved!.family}`;
  // A family that somebody else's commit made theirs is read session by session until its days are summed again.
  expect(await fleet.sql`SELECT 1 FROM usage_dirty LIMIT 1`).toHaveLength(1);
  for (const isSummed of [false, true]) {
    if (isSummed) while (await sumDay(fleet));
    await compareGroups(node, totals);
  }
  const ofCi = await fleet.sql<{ calls: number }[]>`SELECT sum(u.calls)::int AS calls FROM session_usage u
    JOIN sessions s ON s.id = u.session WHERE s.family = ${moved!.family}`;
  for (const [by, whose] of [
    ["sender", "ci"],
    ["person", "mary@example.com"],
  ]) {
    const { daily } = await node.answers.usage(askedBy(by), "all");
    const own = daily!.filter(({ group }) => group === whose).reduce((sum, row) => sum + row.calls, 0);
    expect([by, own]).toEqual([by, ofCi[0]!.calls]);
  }
}

async function compareFindings(laptop: Archive, node: FleetNode): Promise<void> {
  const asked = (request: object = {}) => findingsQuery.parse({ state: "all", ...request });
  const compare = async (request: object = {}): Promise<FindingsAnswer> => {
    const own = await listFindings(laptop, asked(request));
    expect(rounded(await node.answers.findings(asked(request), "all"))).toEqual(rounded(own));
    return own;
  };
  const { findings, waiting } = await compare();
  expect([findings.length > 1, waiting]).toEqual([true, 0]);
  await compare({ kind: "tool", since: "2026-01-01" });
  await compare({ project: "/home/user/webshop", limit: 2, offset: 1 });
  const [first, second] = findings;
  const all = { visible: "all", writable: "all" } as const;
  for (const [id, mark] of [
    [first!.id, "muted"],
    [second!.id, "done"],
  ] as const) {
    await markFinding(laptop, id, { mark });
    await node.answers.markFinding(id, { mark }, all, BY);
  }
  await compare({ state: "open" });
  const shown = await node.answers.finding(first!.id, "all");
  expect(rounded(shown)).toEqual(rounded(await showFinding(laptop, first!.id)));
  for (const by of HOME_GROUPS)
    expect(rounded(await node.answers.home({ by }, "all"))).toEqual(rounded(await readHome(laptop, { by })));
  await node.answers.markFinding(first!.id, { mark: "open" }, all, BY);
  expect((await node.answers.finding(first!.id, "all")).finding.state).toBe("open");
  await expect(node.answers.finding(first!.id, ["elsewhere"])).rejects.toThrow(/No finding/u);
  await expect(
    node.answers.markFinding(first!.id, { mark: "muted" }, { visible: "all", writable: [] }, BY),
  ).rejects.toThrow(/may read this finding/u);
  expect((await node.answers.home({ by: "project" }, [])).calls).toBe(0);
}

const MARKED = ["label:todo", "is:starred", "-label:TODO step", "note:deep", "-is:starred type:user"];

async function compareSearch(laptop: Archive, node: FleetNode): Promise<void> {
  await fillIndex(laptop);
  const wordsOnly = [
    "webshop",
    "test*",
    "server.ts",
    "error handler",
    "Reads -stone",
    '"step 3"',
    "STEPS",
    "-test is:error",
  ];
  const fields = ["type:user", "tool:Bash", "file:src/*", "is:error", "test agent:codex", "-agent:codex step"].concat([
    "step project:harbour",
    "type:compaction",
    "type:result server",
    "type:result src",
    "tokens:>100 type:result",
    "cost:>0.001 type:user",
    "before:2026-05-31 step",
    ...["-project:harbour step", "project:harbour project:webshop step", "project:nowhere step"],
    ...[
      "agent:codex agent:claude test",
      "agent:nobody step",
      "model:gpt step",
      "-model:gpt step",
      "model:gpt agent:codex type:user",
    ],
  ]);
  for (const q of [...wordsOnly, ...fields, ...MARKED, "/ste[p]/ type:user", "commit:abc1234", "pr:7"]) {
    const asked = searchQuery.parse({ q, limit: 100 });
    const own = await searchArchive(laptop, asked);
    const found = await node.answers.search(asked, "all");
    const hits = (answer: SearchAnswer) =>
      answer.hits.map(({ session, seq, kind }) => `${session.id} ${seq} ${kind}`).toSorted();
    expect([q, found.total, found.sessions, hits(found)]).toEqual([q, own.total, own.sessions, hits(own)]);
    expect([q, found.facets]).toEqual([q, own.facets]);
    const byEvent = new Map(own.hits.map((hit) => [`${hit.session.id} ${hit.seq}`, hit]));
    for (const hit of found.hits) {
      const same = byEvent.get(`${hit.session.id} ${hit.seq}`)!;
      if (same.artifact === null) expect([q, hit]).toEqual([q, same]);
    }
    expect((await node.answers.search(asked, ["elsewhere"])).total).toBe(0);
  }
  const steps = await node.answers.search(searchQuery.parse({ q: "step", by: "session", limit: 2, offset: 1 }), "all");
  expect(new Set(steps.hits.map(({ session }) => session.id)).size).toBe(steps.hits.length);
  for (const q of ["webshop", "mooring*", "project:harbour", "type:user step", ...MARKED]) {
    const asked = sessionsQuery.parse({ q, limit: 500 });
    const ids = ({ sessions }: SessionsAnswer) => sessions.map(({ id }) => id).toSorted();
    expect([q, ids(await node.listSessions(asked, "all"))]).toEqual([q, ids(await listSessions(laptop, asked))]);
  }
  for (const q of ["step", "mooring*", "webs*", "(step)", "is:error"]) {
    const asked = sessionsQuery.parse({ q, pin: "title", sort: "title", limit: 500 });
    const titles = ({ sessions }: SessionsAnswer) => sessions.map(({ title }) => title);
    expect([q, titles(await node.listSessions(asked, "all"))]).toEqual([q, titles(await listSessions(laptop, asked))]);
  }
}

/** Rows of one value have no order of their own: what they are sorted by has. */
async function compareArtifacts(laptop: Archive, node: FleetNode): Promise<void> {
  const compare = async (request: object = {}): Promise<ArtifactsAnswer> => {
    const asked = artifactsQuery.parse({ limit: 500, ...request });
    const own = await listArtifacts(laptop, asked);
    const found = await node.answers.artifacts(asked, "all");
    const byPointer = ({ artifacts }: ArtifactsAnswer) =>
      artifacts.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1));
    const facets = ({ tools, types }: ArtifactsAnswer) =>
      [tools, types].map((one) => one.map((facet) => JSON.stringify(facet)).toSorted());
    expect([request, byPointer(found)]).toEqual([request, byPointer(own)]);
    expect([request, facets(found)]).toEqual([request, facets(own)]);
    expect({ ...found, artifacts: [], tools: [], types: [] }).toEqual({ ...own, artifacts: [], tools: [], types: [] });
    const { sort } = asked;
    expect([request, found.artifacts.map((row) => SORTED[sort](row))]).toEqual([
      request,
      own.artifacts.map((row) => SORTED[sort](row)),
    ]);
    return own;
  };
  const { artifacts, total, tools } = await compare();
  expect([total > 10, tools.length > 2]).toEqual([true, true]);
  for (const sort of Object.keys(SORTED)) for (const dir of ["asc", "desc"]) await compare({ sort, dir });
  const one = artifacts[0]!;
  for (const request of [
    ...[
      { tool: tools[0]!.value },
      { type: one.contentType },
      { origin: "imported" },
      { state: "live" },
      { state: "expired" },
    ],
    ...[one.digest.slice(0, 8), one.name ?? "", "project:webshop", "tool:Bash", "is:error", "step type:result"].map(
      (q) => ({ q }),
    ),
  ])
    await compare(request);
  const page = await node.answers.artifacts(artifactsQuery.parse({ limit: 3, offset: 2 }), "all");
  const all = await node.answers.artifacts(artifactsQuery.parse({}), "all");
  expect([page.artifacts, page.next, page.total]).toEqual([all.artifacts.slice(2, 5), 5, total]);
  expect(await node.answers.artifacts(artifactsQuery.parse({}), ["elsewhere"])).toMatchObject({
    artifacts: [],
    total: 0,
    tools: [],
    types: [],
  });
  expect(await node.answers.sessionOfArtifact(one.pointer, ["team"])).toBe(one.sessionId);
  expect(await node.answers.sessionOfArtifact(one.pointer, ["elsewhere"])).toBe(null);
}

/** Lists of what words and fields find, with what stands beside them. Where the database expects many texts, hits are not counted. */
async function compareLists(laptop: Archive, node: FleetNode, isLarge = false): Promise<void> {
  const all = [
    ...[{}, { group: "project" }, { format: "codex" }, { state: "compacted" }, { artifacts: "1" }, { since: "month" }],
    ...[
      { project: "/home/user/webshop" },
      { sort: "title", dir: "asc" },
      { pin: "title", limit: 3 },
      { sort: "cost", offset: 2 },
    ],
  ];
  const choices = isLarge ? all.slice(0, 1) : all;
  let listed = 0;
  let marked = 0;
  for (const q of [
    "",
    "step",
    "the",
    '"the tests"',
    "read_file",
    "agent:codex",
    "agent:codex the",
    "type:user the",
    "is:error",
    "-the",
  ])
    for (const choice of choices) {
      const query = sessionsQuery.parse({ q, sums: "1", limit: 500, ...choice });
      const [own, theirs] = [await listSessions(laptop, query), await node.listSessions(query, "all")];
      // Who is running, a node sees by the last event, and one machine by its file.
      const figures = ({ sessions, total, counts, facets, sums, groups }: SessionsAnswer) =>
        rounded({
          ...{ rows: sessions.length, total, counts: { ...counts, running: 0 }, facets, sums },
          groups: groups?.map(({ project }) => project).toSorted(),
        });
      expect([q, choice, figures(theirs)]).toEqual([q, choice, figures(own)]);
      // A hit in a stored output has its line and pointer on one machine; a node has the words alone.
      const shown = ({ sessions }: SessionsAnswer): string[] =>
        sessions
          .map(({ id, hit, snippet }) =>
            JSON.stringify([id, hit, snippet?.replace(/^line \d+ of art:\S+: /, "") ?? null]),
          )
          .toSorted();
      if (query.limit === 500 && query.offset === 0) expect([q, shown(theirs)]).toEqual([q, shown(own)]);
      if (!isLarge) expect([q, theirs.hits]).toEqual([q, own.hits]);
      else if (q === "the") expect(theirs.hits).toBe(null);
      listed += theirs.total;
      marked += theirs.sessions.filter(({ snippet }) => snippet?.includes("\u0002") === true).length;
    }
  expect([listed > (isLarge ? 30 : 300), marked > (isLarge ? 10 : 100)]).toEqual([true, true]);
}

const SORTED = {
  size: (row: ArtifactRow) => row.sizeBytes,
  created: (row: ArtifactRow) => row.createdAt,
  name: (row: ArtifactRow) => row.name?.toLowerCase() ?? null,
  tool: (row: ArtifactRow) => row.toolName?.toLowerCase() ?? null,
  type: (row: ArtifactRow) => row.contentType.toLowerCase(),
  expires: (row: ArtifactRow) => row.expiresAt,
  tokens: (row: ArtifactRow) => row.load?.tokens ?? null,
  calls: (row: ArtifactRow) => row.load?.calls ?? null,
  cost: (row: ArtifactRow) => row.load?.usd ?? null,
} as const;

/** The database expects a hundred million texts from now on: those of frequent words are then read one after the other, the newest first. */
async function believeInMany({ sql }: Fleet): Promise<void> {
  await sql`ANALYZE session_texts`;
  await sql`ANALYZE sessions`;
  await sql`UPDATE pg_class SET reltuples = 1e8 WHERE relname = 'session_texts'`;
  const [plan] = await sql`EXPLAIN SELECT 1 FROM session_texts WHERE words @@ to_tsquery('plimsoll', 'step')`;
  expect(Number(/rows=(\d+)/.exec(plan!["QUERY PLAN"] as string)?.[1])).toBeGreaterThan(1e6);
}

/** Views of an older version are written again, the newest first; what cannot be read keeps its own. */
async function recompute(fleet: Fleet, cache: Archive): Promise<void> {
  const { sql } = fleet;
  const reader = readerOf(cache);
  expect(await recomputeNext(fleet, reader)).toBe(null);
  const rows = () => sql`SELECT id, title, usd, calls, judged FROM sessions ORDER BY id`;
  const [before, texts] = [await rows(), (await fleetStats(fleet)).texts];
  const due = await sql<{ id: string }[]>`SELECT id FROM families ORDER BY received_at DESC LIMIT 4`;
  const [newest, second, third, broken] = due.map(({ id }) => id) as [string, string, string, string];
  await sql`UPDATE families SET views = 1 WHERE id IN (${newest}, ${second}, ${broken})`;
  // An older node has written it since, and says nothing of views.
  await sql`UPDATE families SET commit_id = commit_id || 'x' WHERE id = ${third}`;
  await sql`UPDATE families SET body = '{}' WHERE id = ${broken}`;
  await sql`UPDATE sessions SET title = 'stale', calls = 0 WHERE family IN ${sql([newest, second, third])}`;
  expect((await fleetStats(fleet)).views).toMatchObject({ outdated: 4, failed: 0 });
  const stale = async (): Promise<string[]> =>
    (await sql<{ family: string }[]>`SELECT DISTINCT family FROM sessions WHERE title = 'stale'`).map(
      (row) => row.family,
    );
  expect([await recomputeNext(fleet, reader), (await stale()).toSorted()]).toEqual([
    "done",
    [second, third].toSorted(),
  ]);
  // The oldest views come last.
  expect([await recomputeNext(fleet, reader), await stale()]).toEqual(["done", [third]]);
  expect(await recomputeNext(fleet, reader)).toBe("failed");
  expect([await recomputeNext(fleet, reader), await stale()]).toEqual(["done", []]);
  for (const more of ["failed", "failed", null]) {
    await sql`UPDATE families SET views_until = NULL`;
    expect(await recomputeNext(fleet, reader)).toBe(more);
  }
  const stats = await fleetStats(fleet);
  expect([stats.views, stats.texts, await rows()]).toEqual([{ version: VIEWS, outdated: 0, failed: 1 }, texts, before]);
}
