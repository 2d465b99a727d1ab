// Whichever index a search begins with, it finds the newest texts that fit: as a plain question does that reads all of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import { wordQuery, wordsOf } from "../lexemes.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { findTexts, type TextsAsked } from "./find-texts.ts";
import { conditionsOf } from "./search-conditions.ts";

const found = await testFleet();
const NOW = Date.UTC(2026, 5, 1);
const SESSIONS = 400;

const QUERIES = [
  ...["often", "some", "seldom", "never", "often some", "often -some", '"often some"', "oft*", "type:user often"],
  ...["project:/p/1 often", "project:/p/1 seldom", "-project:/p/1 some", "project:nowhere often", "project:/p/ some"],
  ...[
    '"other some" seldom',
    '-"other some" often',
    "some_seldom",
    "other/so*",
    'often "some seldom"',
    '"other some" "some seldom"',
  ],
  ...[
    'project:/p/1 "other some"',
    'type:user "often some"',
    '"often other never"',
    'model:old "other some"',
    "otherSome often",
  ],
  ...[
    "after:2026-05-25 often",
    "before:2026-05-20 some",
    "-after:2026-05-25 often",
    'after:2026-05-20 before:2026-05-25 "other some"',
  ],
  // The newest sessions are of another model: texts of this one are older than is expected.
  ...[
    "model:old often",
    "-model:old often",
    "agent:codex some",
    "agent:code some",
    "agent:cod* some",
    "agent:claude some",
    "agent:claude agent:codex often",
    "-agent:codex often",
  ],
  ...["branch:main often", "cost:>5 often", "model:new agent:codex project:/p/2 often", "is:error some", "type:user"],
];
/** Each begins with another index where it can. */
const COSTS = [
  { read: 1, session: 3, word: 0.3, fetched: 2, sorted: 150_000 },
  { read: 1e6, session: 3, word: 0.3, fetched: 2, sorted: 150_000 },
  { read: 1e-6, session: 0, word: 0.3, fetched: 2, sorted: 0 },
];

describe.skipIf("missing" in found)(`texts of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
    await fill(fleet);
  });
  afterAll(() => fleet.close());

  test("are the newest that fit, whichever index a search begins with", { timeout: 120_000 }, async () => {
    for (const q of QUERIES)
      for (const most of [5, 40, 5000])
        for (const visible of ["all", ["a"]] as const)
          for (const isRanked of [true, false]) {
            const { terms, filters } = parseSearch(q, NOW);
            const asked = { filters, words: wordQuery(terms), isRanked, most, session: undefined };
            const expected = await plainly(fleet, asked, visible);
            for (const costs of COSTS) {
              const rows = await findTexts(fleet, asked, visible, costs);
              expect([q, most, visible, costs, ...rows]).toEqual([q, most, visible, costs, ...expected]);
            }
          }
    const all = {
      ...{ filters: [], words: wordQuery(parseSearch("often", NOW).terms), isRanked: false, session: undefined },
      most: 5000,
    };
    expect((await findTexts(fleet, all, "all")).length).toBeGreaterThan(SESSIONS);
  });

  test("of an agent by its format and by the name that its file says, as on one machine", async () => {
    const { sql } = fleet;
    const sessions = [
      ["stream-json", "Claude Code"],
      ["otlp", "claude-code"],
      ["otlp", "Harbour Pilot"],
      ["claude-code", "Claude Code"],
      ["codex-exec", "Codex exec"],
      ["later-format", "Later"],
    ];
    for (const [n, [format, agent]] of sessions.entries()) {
      const id = `agent-${n}`;
      await sql`INSERT INTO sessions (project, id, family, native_id, format, agent, title, started_at, ended_at,
          turns, calls, compactions, artifacts, usd, own_calls, own_tokens, own_unsure, row)
        VALUES ('c', ${id}, ${id}, ${id}, ${format!}, ${agent!}, 'title', 1, 1, 1, 1, 0, 0, 0, 1, 1, false, '{}')`;
      await sql`INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words)
        VALUES ('c', ${id}, 1, 0, 'user', '', 1, 10, false, 'tide', to_tsvector('plimsoll', 'tide'))`;
    }
    const named: [string, number[]][] = [
      ["claude-code", [0, 1, 3]],
      ['"claude code"', [0, 1, 3]],
      ["claude", [0, 1, 3]],
      ["opentelemetry", [1, 2]],
      ["otlp", [1, 2]],
      ["pilot", [2]],
      ["harb*", [2]],
      ["codex-exec", [4]],
      ["codex", []],
      ["later-format", [5]],
      ["later", [5]],
      ["open", []],
    ];
    for (const [name, of] of named) {
      const { terms, filters } = parseSearch(`agent:${name} tide`, NOW);
      const asked = { filters, words: wordQuery(terms), isRanked: false, most: 50, session: undefined };
      const numbers = (rows: readonly { session?: unknown }[]) =>
        rows.map(({ session }) => Number(String(session).slice("agent-".length))).toSorted();
      expect([name, ...numbers(await findTexts(fleet, asked, ["c"]))]).toEqual([name, ...of]);
      expect([name, ...numbers((await plainly(fleet, asked, ["c"])) as { session: string }[])]).toEqual([name, ...of]);
    }
  });

  test("with words that begin so, and no others of their stem", async () => {
    const { sql } = fleet;
    const texts = ["A Running total", "run at runtime", "a runnable", "Moorish arches", "the mooring/line", "moored"];
    texts.push("Generalize it", "a general", "happy sailors", "happiness", "Connecting", "connected");
    await sql`INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words)
      SELECT 'b', 's0', 100 + n, 0, 'user', '', 1, 10, false, text, to_tsvector('plimsoll', ${sql.unsafe("replace(text, '/', ' ')")})
      FROM unnest(${texts}::text[]) WITH ORDINALITY d (text, n)`;
    const found = async (q: string, isTyped = false) => {
      const words = wordQuery(parseSearch(q, NOW).terms, { isTyped });
      const asked = { filters: [], words, isRanked: false, most: 50, session: undefined };
      return (await findTexts(fleet, asked, "all")).map(({ seq }) => texts[seq - 101]).toSorted();
    };
    expect(await found("running*")).toEqual(["A Running total"]);
    expect(await found("run*")).toEqual(["A Running total", "a runnable", "run at runtime"]);
    expect(await found("mooring*")).toEqual(["the mooring/line"]);
    expect(await found("mooring/lin*")).toEqual(["the mooring/line"]);
    expect(await found("moor*")).toEqual(["Moorish arches", "moored", "the mooring/line"]);
    expect(await found("generali*")).toEqual(["Generalize it"]);
    expect(await found("it generali*")).toEqual(["Generalize it"]);
    expect(await found("genera*")).toEqual(["Generalize it", "a general"]);
    expect(await found("connecti*")).toEqual(["Connecting"]);
    expect(await found("connect*")).toEqual(["Connecting", "connected"]);
    expect(await found("happi*")).toEqual(["happiness"]);
    expect(await found("happ*")).toEqual(["happiness", "happy sailors"]);
    expect(await found("happi", true)).toEqual(["happiness", "happy sailors"]);
    expect(await found("sailors -happi*")).toEqual([]);
    // What is typed is found by its stem, too.
    expect(await found("mooring", true)).toEqual(["moored", "the mooring/line"]);
  });

  test("of scripts without spaces by any part of theirs", async () => {
    const { sql } = fleet;
    const texts = ["日本語テストを書く。Reactの状態がある", "修复登录页面的错误", "세션을 읽는다"];
    for (const [n, text] of texts.entries())
      await sql`INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words)
        VALUES ('b', 's0', ${200 + n}, 0, 'user', '', 1, 10, false, ${text}, to_tsvector('plimsoll', ${wordsOf(text)}))`;
    for (const [q, seqs] of [
      ...[["本語", [200]] as const, ["テスト", [200]] as const, ["語", [200]] as const, ["がある", [200]] as const],
      ...[["react 状態", [200]] as const, ["Reactの状", [200]] as const, ["テスト*", [200]] as const],
      ...[
        ["登录 错误", [201]] as const,
        ['"登录页面"', [201]] as const,
        ["录登", []] as const,
        ["세션", [202]] as const,
      ],
    ] as const)
      for (const isTyped of [false, true]) {
        const words = wordQuery(parseSearch(q, NOW).terms, { isTyped });
        const asked = { filters: [], words, isRanked: true, most: 50, session: undefined };
        expect([q, (await findTexts(fleet, asked, "all")).map(({ seq }) => seq)]).toEqual([q, seqs]);
      }
  });
});

/** Sessions of a year in two projects, the older half of one model; some texts have no time. */
async function fill({ sql }: Fleet): Promise<void> {
  await sql`INSERT INTO sessions (project, id, family, native_id, parent, format, agent, model, title, cwd, branch, started_at, ended_at,
      turns, calls, compactions, artifacts, usd, own_calls, own_tokens, own_unsure, row)
    SELECT CASE WHEN i % 3 = 0 THEN 'b' ELSE 'a' END, 's' || i, 's' || i, 's' || i, CASE WHEN i % 7 = 6 THEN 's' || (i - 1) END,
      CASE WHEN i % 4 = 0 THEN 'codex' ELSE 'claude-code' END, CASE WHEN i % 4 = 0 THEN 'Codex' ELSE 'Claude Code' END,
      CASE WHEN i % 11 = 0 THEN NULL WHEN i < ${SESSIONS / 2} THEN 'old' ELSE 'new' END, 'title', CASE WHEN i % 13 > 0 THEN '/p/' || i % 5 END,
      CASE WHEN i % 2 = 0 THEN 'main' END, ${NOW - SESSIONS * 3_600_000}::bigint + i * 3600000, ${NOW}::bigint, 1, 1, 0, 0, i % 10, 1, 1, false, '{}'
    FROM generate_series(0, ${SESSIONS - 1}) i`;
  await sql`INSERT INTO session_texts (project, session, seq, piece, kind, tool, at, tokens, is_error, text, words)
    SELECT s.project, s.id, k, 0, CASE WHEN k % 2 = 0 THEN 'user' ELSE 'result' END, '', CASE WHEN (i + k) % 17 > 0 THEN s.started_at + k END,
      10, k = 3, d.text, to_tsvector('plimsoll', d.text)
    FROM generate_series(0, ${SESSIONS - 1}) i JOIN sessions s ON s.id = 's' || i CROSS JOIN generate_series(0, 3) k
    CROSS JOIN LATERAL (SELECT 'often' || CASE WHEN i % 2 = k % 2 THEN ' some' ELSE ' other some' END || CASE WHEN i % 50 = k THEN ' seldom often' ELSE '' END AS text) d`;
  await sql`ANALYZE`;
}

/** What the question says, of all texts. */
async function plainly(
  fleet: Fleet,
  { filters, words, isRanked, most }: TextsAsked,
  visible: Projects,
): Promise<unknown[]> {
  const { sql } = fleet;
  const rows = await sql`SELECT t.project, t.session, t.seq, t.piece, t.kind, t.tool, t.at, t.tokens, t.is_error,
      ${isRanked ? sql`ts_rank(t.words, to_tsquery('plimsoll', ${words?.tsquery ?? ""}))` : sql`0::real`} AS score
    FROM session_texts t JOIN sessions s ON s.project = t.project AND s.id = t.session
    WHERE ${inProjects(fleet, visible, "t.project")} AND ${words === null ? sql`true` : sql`t.words @@ to_tsquery('plimsoll', ${words.tsquery})`}
      AND ${conditionsOf(fleet, filters, { of: "session", marks: "text" }) ?? sql`true`} AND ${conditionsOf(fleet, filters, { of: "text", marks: "text" }) ?? sql`true`}
    ORDER BY t.at DESC NULLS LAST, t.project, t.session, t.seq DESC, abs(t.piece) DESC LIMIT ${most + 1}`;
  return rows.map((row, n) => (n < 1000 ? row : { ...row, score: 0 }));
}
