// The list of a fleet against a plain count of its rows: whatever came, changed and went, by several writers at once, with and without
// what nodes have added up since.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { sessionsQuery, type SessionRow, type SessionsAnswer, type SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { listFleetSessions } from "../list-fleet-sessions.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { keepCounts, keptValues } from "./kept-counts.ts";

const found = await testFleet();
const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;

type Session = {
  readonly project: string;
  readonly id: string;
  readonly parent: string | null;
  readonly format: string;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly title: string;
  readonly turns: number;
  readonly calls: number;
  readonly artifacts: number;
  readonly peak_share: number | null;
  readonly usd: number | null;
  readonly own_usd: number | null;
  readonly own_unsure: boolean;
};

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const time = fc.option(oneOf(1000, 20 * HOUR, 100 * HOUR, 500 * HOUR, 1000 * HOUR).map((ago) => NOW - ago));
const money = fc.option(oneOf(0.1, 0.2, 0.7, 1e-7, 123_456.789));

/** `family` and `n` name a session: each is the parent of the next, as sub-agents of sub-agents are. */
const session = fc.record({
  n: fc.integer({ min: 0, max: 3 }),
  format: oneOf("claude-code", "codex"),
  cwd: oneOf(null, "", "/a", `/${"long/".repeat(800)}`),
  model: oneOf(null, "m1", "m2"),
  state: oneOf(null, "fine", "near", "refused", "compacted"),
  ...{ started_at: time, ended_at: time, title: oneOf("A", "b", "C"), turns: fc.nat(3), calls: fc.nat(2) },
  ...{ artifacts: fc.nat(1), peak_share: money, usd: money, own_usd: money, own_unsure: fc.boolean() },
});
type Drawn = typeof session extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("put" as const),
      sessions: fc.array(session, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("remove" as const),
      sessions: fc.array(session, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant("change" as const),
      sessions: fc.array(session, { minLength: 1, maxLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("keep" as const), sessions: fc.constant([] as Drawn[]) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const SORTS = ["active", "started", "title", "turns", "calls", "peak", "artifacts", "cost"] as const;
const query = fc.record(
  {
    format: oneOf("claude-code", "codex"),
    project: oneOf("/a", "", `/${"long/".repeat(800)}`),
    model: oneOf("m1", "m2", "m3"),
    state: oneOf("fine", "near", "refused", "compacted", "running"),
    since: oneOf("day", "week", "month"),
    artifacts: oneOf("1"),
    sort: oneOf(...SORTS),
    dir: oneOf("asc", "desc"),
    pin: oneOf("running"),
    group: oneOf("project"),
    sums: oneOf("1"),
    limit: oneOf(1, 3, 500),
    offset: oneOf(0, 1, 4, 30),
  },
  { requiredKeys: [] },
);

describe.skipIf("missing" in found)(`the list of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("is what a plain count says, whoever wrote what at once", { timeout: 120_000 }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 8 }), { minLength: 3, maxLength: 3 }),
        fc.array(query, { minLength: 12, maxLength: 12 }),
        async (writers, queries) => {
          run++;
          // Sessions of earlier runs stay: counts go on from what they are.
          await Promise.all(
            writers.map((steps, writer) => write(fleet, `${run % 3}-${writer}`, writer % 2 === 0 ? "p" : "q", steps)),
          );
          await compare(fleet, queries);
          await keepCounts(fleet);
          expect(await keepCounts(fleet)).toBe(false);
          await compare(fleet, queries.slice(0, 6));
        },
      ),
      { numRuns: 40 },
    );
    await fleet.sql`DELETE FROM sessions`;
    while (await keepCounts(fleet));
    expect(await fleet.sql`SELECT 1 FROM session_counts`).toHaveLength(0);
    expect(await fleet.sql`SELECT 1 FROM session_list`).toHaveLength(0);
    expect(await fleet.sql`SELECT 1 FROM searched_sessions`).toHaveLength(0);
  });
});

/** One writer after the other has a family, as its lock makes sure. */
async function write(fleet: Fleet, family: string, project: string, steps: readonly Step[]): Promise<void> {
  const { sql } = fleet;
  const idOf = (n: number): string => `${family}-${n}`;
  for (const { what, sessions } of steps) {
    if (what === "keep") await keepCounts(fleet);
    const byId = [...new Map(sessions.map((one) => [one.n, one])).values()];
    const ids = byId.map(({ n }) => idOf(n));
    if (what === "change")
      for (const { model, title, own_usd: usd } of byId)
        await sql`UPDATE sessions SET model = ${model}, title = ${title}, own_usd = ${usd},
          calls = calls + 1, own_calls = own_calls + 1, own_tokens = own_tokens + 10 WHERE family = ${family}`;
    if (what === "put" || what === "remove")
      await sql.begin(async (tx) => {
        await tx`DELETE FROM sessions WHERE project = ${project} AND id = ANY(${ids})`;
        if (what === "remove") return;
        const rows = byId.map(({ n, ...one }) => ({
          ...{
            ...one,
            project,
            id: idOf(n),
            family,
            native_id: idOf(n),
            parent: n === 0 ? null : idOf(n - 1),
            agent: one.format,
          },
          ...{
            compactions: 0,
            avoidable_usd: null,
            own_calls: one.calls,
            own_tokens: 10 * one.calls,
            agent_key: `by ${one.format}`,
          },
          row: tx.json({ id: idOf(n) }),
        }));
        await tx`INSERT INTO sessions ${tx(rows)}`;
      });
  }
}

async function compare(fleet: Fleet, queries: readonly object[]): Promise<void> {
  const all = await fleet.sql<Session[]>`SELECT * FROM sessions`;
  for (const [n, one] of queries.entries()) {
    const asked = sessionsQuery.parse(one);
    const visible: Projects = n % 3 === 0 ? ["q"] : "all";
    const { sessions, ...answer } = await listFleetSessions(fleet, asked, visible, { now: NOW, searcher: null });
    const expected = plainly(
      all.filter(({ project }) => visible === "all" || visible.includes(project)),
      asked,
    );
    expect([asked, sessions.map(({ id }: SessionRow) => id)]).toEqual([asked, expected.ids]);
    expect([asked, rounded(answer)]).toMatchObject([asked, rounded(expected.answer)]);
  }
  const searched = (table: string) =>
    fleet.sql`SELECT project, id, format, agent, model, cwd, branch, usd FROM ${fleet.sql(table)} ORDER BY project, id`;
  expect([...(await searched("searched_sessions"))]).toEqual([...(await searched("sessions"))]);
  const agents = await fleet.sql<
    { value: string; n: number; calls: number }[]
  >`SELECT value, sum(n) AS n, sum(calls) AS calls
    FROM ${keptValues(fleet, { visible: "all" }, "agent")} GROUP BY 1 HAVING sum(n) > 0 ORDER BY 1`;
  const counted = Map.groupBy(all, ({ format }) => `by ${format}`);
  expect([...agents].map(({ value, n, calls }) => [value, Number(n), Number(calls)])).toEqual(
    [...counted].map(([value, of]) => [value, of.length, of.filter(({ calls }) => calls > 0).length]).toSorted(),
  );
}

const rounded = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value,
  );

/** The answer as its words say it. */
function plainly(all: readonly Session[], asked: SessionsQuery): { ids: string[]; answer: Partial<SessionsAnswer> } {
  const isRunning = ({ ended_at: ended }: Session): boolean => ended !== null && ended >= NOW - 60_000;
  const since = { day: 24, week: 168, month: 720 } as const;
  const top = all.filter(({ parent }) => parent === null);
  const tests: Record<string, (one: Session) => boolean> = {
    format: (one) => asked.format === undefined || one.format === asked.format,
    project: (one) => asked.project === undefined || one.cwd === asked.project,
    model: (one) => asked.model === undefined || one.model === asked.model,
    state: (one) =>
      asked.state === undefined || (asked.state === "running" ? isRunning(one) : one.state === asked.state),
    since: (one) =>
      asked.since === undefined || (one.started_at !== null && one.started_at >= NOW - since[asked.since] * HOUR),
    artifacts: (one) => asked.artifacts === undefined || one.artifacts > 0,
  };
  const left = (choice: string): Session[] =>
    top.filter((one) => Object.entries(tests).every(([name, fits]) => name === choice || fits(one)));
  const facet = (choice: string, of: (one: Session) => string | null) =>
    [...Map.groupBy(left(choice), of)]
      .flatMap(([value, { length }]) => (value === null ? [] : [{ value, count: length }]))
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const listed = left("");
  const sums = (of: readonly Session[]) => {
    const priced = of.flatMap(({ own_usd: usd }) => (usd === null ? [] : [usd]));
    return {
      sessions: of.length,
      calls: of.reduce((sum, { calls }) => sum + calls, 0),
      tokens: of.reduce((sum, { calls }) => sum + 10 * calls, 0),
      usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
      isPartial: of.some(({ own_unsure: unsure }) => unsure),
    };
  };
  const isBelow = ({ parent }: Session): boolean =>
    parent !== null && (listed.some(({ id }) => id === parent) || all.some((one) => one.id === parent && isBelow(one)));
  const subs = all.filter(isBelow);
  const last = (of: readonly Session[]): number => Math.max(-1, ...of.map(({ ended_at: ended }) => ended ?? -1));
  const groups = [...Map.groupBy(listed, ({ cwd }) => cwd ?? "")].toSorted(
    ([a, x], [b, y]) => last(y) - last(x) || (a < b ? -1 : 1),
  );
  const column = {
    active: "ended_at",
    started: "started_at",
    title: "title",
    peak: "peak_share",
    cost: "usd",
  } as const;
  const of = (one: Session): string | number | null => {
    const value = one[(column as Record<string, keyof Session>)[asked.sort] ?? (asked.sort as keyof Session)];
    return typeof value === "string" ? value.toLowerCase() : (value as number | null);
  };
  const way = asked.dir === "asc" ? 1 : -1;
  const order = (a: Session, b: Session): number => {
    if (asked.pin !== undefined && isRunning(a) !== isRunning(b)) return isRunning(a) ? -1 : 1;
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
      // Those without a value stand in one order, whatever the direction.
      return asked.group === undefined ? (a.id < b.id ? 1 : -1) : way * (a.id < b.id ? -1 : 1);
    }
    return x < y ? -way : x > y ? way : way * (a.id < b.id ? -1 : 1);
  };
  const rows =
    asked.group === undefined ? listed.toSorted(order) : groups.flatMap(([, members]) => members.toSorted(order));
  const states = left("state");
  const counts = Object.fromEntries(
    ["refused", "compacted", "near", "fine"].map((state) => [
      state,
      states.filter((one) => one.state === state).length,
    ]),
  );
  return {
    ids: rows.slice(asked.offset, asked.offset + asked.limit).map(({ id }) => id),
    answer: {
      total: listed.length,
      counts: { all: states.length, running: states.filter(isRunning).length, ...counts } as SessionsAnswer["counts"],
      facets: {
        formats: facet("format", ({ format }) => format) as SessionsAnswer["facets"]["formats"],
        projects: facet("project", ({ cwd }) => cwd),
        models: facet("model", ({ model }) => model),
      },
      sums: asked.sums === undefined ? null : { ...sums(listed), subAgents: subs.length === 0 ? null : sums(subs) },
      groups:
        asked.sums === undefined || asked.group === undefined
          ? null
          : groups.map(([project, members]) => ({ project, ...sums(members) })),
    },
  };
}
