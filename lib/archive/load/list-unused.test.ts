// What was carried in every prompt and not used: counted once, and over the time in which it was carried.
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  line,
  prompt,
  result,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { NOW, withRecords } from "../testing-archive.ts";
import { judgeSession } from "./compute-verdict.ts";
import { listUnused } from "./list-unused.ts";

const DAY_MS = 86_400_000;

type Carried = { readonly kind: string; readonly name: string; readonly uses: number | null; readonly daysAgo: number };

/** Rows of sessions of their own, each of 1,000 tokens and a dollar. */
function carry({ sqlite }: Archive, rows: readonly Carried[]): void {
  const session = sqlite.prepare(
    "INSERT INTO sessions (id, native_id, format, lane) SELECT 's_' || ?, 'n' || ?, 'claude-code', '' RETURNING pk",
  );
  const add = sqlite.prepare(
    "INSERT INTO session_carried (session_pk, kind, name, tokens, sent, usd, uses, at) VALUES (?, ?, ?, 1000, 5000, 1, ?, ?)",
  );
  for (const [n, { kind, name, uses, daysAgo }] of rows.entries())
    add.run((session.get(n, n) as { pk: number }).pk, kind, name, uses, NOW - daysAgo * DAY_MS);
}

test("what was used once is not listed; what no log can tell of stands apart from it", () =>
  withRecords({}, async (archive) => {
    carry(archive, [
      { kind: "skills", name: "Skills", uses: 2, daysAgo: 1 },
      { kind: "skills", name: "Skills", uses: null, daysAgo: 2 },
      { kind: "mcp", name: "MCP server reef", uses: 0, daysAgo: 3 },
    ]);
    const { rows } = await listUnused(archive, 30, NOW);
    expect(rows.map(({ name, uses, sessions }) => [name, uses, sessions])).toEqual([
      ["MCP server reef", 0, 1],
      ["Skills", null, 1],
    ]);
  }));

test.each([
  { asked: 30, ago: [5, 1], month: 2 },
  { asked: 10, ago: [5, 1], month: 6 },
  { asked: 3650, ago: [205, 201], month: 2 },
  { asked: 3650, ago: [160, 100], month: 1 },
])("a month of what was carried $ago days ago is $month dollars, asked for $asked days", ({ asked, ago, month }) =>
  withRecords({}, async (archive) => {
    carry(
      archive,
      ago.map((daysAgo) => ({ kind: "mcp", name: "MCP server reef", uses: 0, daysAgo })),
    );
    const { rows } = await listUnused(archive, asked, NOW);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.monthlyUsd).toBeCloseTo(month, 9);
    expect(Object.keys(rows[0]!).toSorted()).toEqual(
      ["kind", "monthlyUsd", "name", "sent", "sessions", "tokens", "usd", "uses"].toSorted(),
    );
  }),
);

test("what a fork copied was sent by the session before it", () => {
  const listing = line("attachment", "1", 1, {
    attachment: { type: "skill_listing", content: Array.from({ length: 400 }, (_, n) => `skill ${n}`).join("\n") },
  });
  const call = (label: string, second: number, block: unknown): Rec =>
    answer(label, second, label, block, { usage: used(3, 0, 30_000, 20) });
  const shared = [
    prompt("p", 2, "Look"),
    listing,
    call("m1", 3, asks("t", "Bash", { command: "ls" })),
    result("r", 4, "t", "a"),
    call("m2", 5, text("One file.")),
  ];
  const fork = [...shared, prompt("q", 100, "And now"), call("m3", 101, text("The same."))].map((record): unknown =>
    JSON.parse(JSON.stringify(record).replaceAll(String(listing["sessionId"]), idOf("fork"))),
  );
  return withRecords(
    { [`${String(listing["sessionId"])}.jsonl`]: shared, [`${idOf("fork")}.jsonl`]: fork },
    async (archive) => {
      for (const pk of archive.sqlite.prepare("SELECT pk FROM sessions").pluck().all() as number[])
        await judgeSession(archive, pk);
      const rows = archive.sqlite
        .prepare("SELECT tokens, sent FROM session_carried WHERE kind = 'skills' ORDER BY sent DESC")
        .all() as { tokens: number; sent: number }[];
      // Three calls in all: two of the first session, one of the fork.
      expect(rows.map(({ tokens, sent }) => Math.round(sent / tokens))).toEqual([2, 1]);
    },
  );
});
