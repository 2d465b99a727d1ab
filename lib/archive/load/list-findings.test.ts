// Findings across sessions: grouped by what they share, equal to what the list of sessions says, marked by a person.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { findingAnswer, findingParams, findingPath, findingsAnswer, findingsQuery } from "#lib/wire/findings-schema.ts";
import { homeAnswer, homeQuery } from "#lib/wire/home-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { hostPriced, NOW, withRecords } from "../testing-archive.ts";
import { judgeSession } from "./compute-verdict.ts";
import { readHome } from "./home-answer.ts";
import { listFindings, markFinding, showFinding } from "./list-findings.ts";
import { sessionLedger } from "./session-ledger.ts";
import { FILE, wasteful } from "./testing-wasteful.ts";

const HOST = hostPriced(() =>
  completeRates({ uncached: 1e-6, read: 1e-7, write: 1.25e-6, write1h: 2e-6, output: 5e-6 }),
);
const DAY = 86_400;
/** Seconds from the first second of the synthetic sessions (2026-01-05, 09:00) to the clock of the tests. */
const NOW_SECOND = (NOW - Date.UTC(2026, 0, 5, 9)) / 1000;
const FILES = {
  "a.jsonl": wasteful("a", 1),
  "b.jsonl": wasteful("b", NOW_SECOND - 2 * DAY),
};

/** The same session, of a provider that reports what came back alone. */
const unmeasured = (records: readonly unknown[]): unknown[] =>
  JSON.parse(JSON.stringify(records), (key, value: unknown) =>
    /^(?:cache_\w+_)?input_tokens$/u.test(key) ? 0 : value,
  ) as unknown[];

async function judgeAll(archive: Archive): Promise<void> {
  for (const pk of archive.sqlite.prepare("SELECT pk FROM sessions").pluck().all() as number[])
    await judgeSession(archive, pk);
}

const findings = async (archive: Archive, request: Record<string, unknown> = {}) =>
  findingsAnswer.parse(await listFindings(archive, findingsQuery.parse(request)));

test("one file read again in two sessions is one finding, and all sum to what the list of sessions says", () =>
  withRecords(
    FILES,
    async (archive) => {
      expect((await findings(archive)).waiting).toBe(2);
      await judgeAll(archive);
      const answer = await findings(archive);
      expect(answer.waiting).toBe(0);
      const again = answer.findings.find(({ kind }) => kind === "tool")!;
      expect(again).toMatchObject({ kind: "tool", subject: `Read ${FILE.file_path}`, count: 4, sessions: 2 });
      expect(again.firstSeen! < again.lastSeen!).toBe(true);
      // Each session read it twice, one of them in these weeks.
      expect(again.weeks.reduce((sum, count) => sum + count, 0)).toBe(2);
      const listed = archive.sqlite.prepare("SELECT sum(avoidable_usd) FROM sessions").pluck().get() as number;
      expect(listed).toBeGreaterThan(0);
      expect(answer.usd).toBeCloseTo(listed, 9);
      // Its id has slashes; in a path it has none.
      expect(findingPath(again.id)).toMatch(/^~[\w-]+$/u);
      expect(findingParams.parse({ id: findingPath(again.id) })).toEqual({ id: again.id });
      expect(findingParams.safeParse({ id: "~a?" }).success).toBe(false);
      const { seen } = findingAnswer.parse(await showFinding(archive, again.id));
      expect(seen.map(({ seq }) => typeof seq)).toEqual(["number", "number"]);
      // Judged again the same rows stand, and not twice as many.
      archive.sqlite.exec("UPDATE sessions SET findings_version = NULL");
      await judgeAll(archive);
      expect((await findings(archive)).findings.map(({ id, count }) => [id, count])).toEqual(
        answer.findings.map(({ id, count }) => [id, count]),
      );
    },
    HOST,
  ));

test("where calls report no prompt, a finding has tokens and no dollars", () =>
  withRecords(
    { "a.jsonl": unmeasured(wasteful("a", 1)), "b.jsonl": wasteful("b", 7200) },
    async (archive) => {
      await judgeAll(archive);
      const sessions = archive.sqlite
        .prepare("SELECT avoidable_usd AS usd, avoidable_tokens AS tokens FROM sessions ORDER BY started_at")
        .all() as { usd: number | null; tokens: number }[];
      expect(sessions[0]).toMatchObject({ usd: null });
      expect(sessions[0]!.tokens).toBeGreaterThan(0);
      const { usd, isPartial, findings: listed } = await findings(archive);
      expect({ usd, isPartial }).toEqual({ usd: sessions[1]!.usd, isPartial: true });
      const again = listed.find(({ sessions: of }) => of === 2)!;
      const { seen } = findingAnswer.parse(await showFinding(archive, again.id));
      expect(seen.map((one) => one.usd === null).toSorted()).toEqual([false, true]);
    },
    HOST,
  ));

test("a finding is muted, done, and comes back when it is seen after that", () =>
  withRecords(
    FILES,
    async (archive) => {
      await judgeAll(archive);
      const [first] = (await findings(archive)).findings;
      expect((await markFinding(archive, first!.id, { mark: "muted" })).state).toBe("muted");
      expect((await findings(archive)).findings.map(({ id }) => id)).not.toContain(first!.id);
      expect((await findings(archive, { state: "muted" })).total).toBe(1);
      expect((await markFinding(archive, first!.id, { mark: "done" })).state).toBe("done");
      archive.sqlite.prepare("UPDATE finding_marks SET done_at = ?").run(NOW - 30 * DAY * 1000);
      const back = await findings(archive);
      expect(back.findings.find(({ id }) => id === first!.id)?.state).toBe("back");
      expect(back.counts.back).toBe(1);
      // Listed alone, the sums are its own.
      const alone = await findings(archive, { state: "back" });
      expect(alone.findings.map(({ id }) => id)).toEqual([first!.id]);
      expect(alone).toMatchObject({ total: 1, usd: first!.usd });
      expect((await markFinding(archive, first!.id, { mark: "open" })).state).toBe("open");
      await expect(showFinding(archive, "tool:re-read:nothing")).rejects.toThrow(/No finding/u);
    },
    HOST,
  ));

test("home says this week's spend and the avoidable part of it; without calls the last week with use", () =>
  withRecords(
    FILES,
    async (archive) => {
      await judgeAll(archive);
      const home = homeAnswer.parse(await readHome(archive, homeQuery.parse({})));
      expect(home).toMatchObject({ isOld: false, until: "2026-06-01", since: "2026-05-26" });
      const ofB = archive.sqlite
        .prepare("SELECT usd, avoidable_usd AS avoidable FROM sessions ORDER BY started_at DESC LIMIT 1")
        .get() as { usd: number; avoidable: number };
      expect(home.spent.usd).toBeCloseTo(ofB.usd, 9);
      expect(home.avoidable.usd).toBeCloseTo(ofB.avoidable, 9);
      expect(home.findings.length).toBeGreaterThan(0);
    },
    HOST,
  ));

test("what an output costs later is of the week of the call that sent it; it was seen when it came, and stays done", () => {
  const more = { sessionId: idOf("a") };
  const call = (label: string, second: number, block: unknown, read: number, write: number): unknown =>
    answer(label, second, label, block, { usage: used(3, read, write, 20), more });
  const later = (label: string, second: number): unknown => call(label, second, text("Still here"), 68_840, 20);
  const read = NOW_SECOND - 20 * DAY;
  const words = "stone ".repeat(9000);
  const records = [
    prompt("p", read, "Look", more),
    call("m1", read + 1, asks("t1", "Read", FILE), 12_000, 12_000),
    result("r1", read + 2, "t1", words, more),
    call("m2", read + 3, asks("t2", "Read", FILE), 24_000, 22_400),
    result("r2", read + 4, "t2", words, more),
    call("m3", read + 5, text("Two of them"), 46_400, 22_400),
    later("late", NOW_SECOND - DAY),
  ];
  return withRecords(
    { "a.jsonl": records },
    async (archive, dir) => {
      await judgeAll(archive);
      const home = await readHome(archive, homeQuery.parse({}));
      // Of its one call of this week: two copies of 22,300 tokens, read from the cache at $0.1 a million, but for their first parts.
      expect(home.spent.usd).toBeCloseTo((3 + 6884 + 25 + 100) / 1e6, 9);
      expect(home.avoidable.usd).toBeGreaterThan(0.0038);
      expect(home.avoidable.usd).toBeLessThan(0.0045);
      const [row] = (await listSessions(archive, sessionsQuery.parse({}))).sessions;
      expect(row!.avoidable!.usd).toBeGreaterThan(0.05);
      const [finding] = (await findings(archive)).findings;
      const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 9) + second * 1000).toISOString();
      expect(finding!.firstSeen! > at(read) && finding!.lastSeen! < at(read + 10)).toBe(true);
      archive.sqlite
        .prepare("INSERT INTO finding_marks (fingerprint, done_at) VALUES (?, ?)")
        .run(finding!.id, NOW - 2 * DAY * 1000);
      expect((await findings(archive, { state: "all" })).findings[0]).toMatchObject({ state: "done" });
      appendFileSync(join(dir, "logs", "a.jsonl"), jsonl(later("later", NOW_SECOND - 60) as Rec));
      await importPaths(archive, [join(dir, "logs")]);
      await judgeAll(archive);
      expect((await findings(archive, { state: "all" })).findings[0]).toMatchObject({ state: "done", count: 2 });
    },
    HOST,
  );
});

test("a session with a model that has no price says in its list, its ledger and the findings that dollars are a least sum", () => {
  const other = (record: unknown): unknown =>
    JSON.parse(JSON.stringify(record).replaceAll(/"model":"[^"]+"/g, '"model":"unlisted-1"'));
  // Waste by that model, which stays for what follows; and waste of its own by one with a price.
  const later = wasteful("b", 7200, { file_path: "/home/ada/harbour/src/other.ts" }).map((record): unknown =>
    JSON.parse(JSON.stringify(record).replaceAll(idOf("b"), idOf("a"))),
  );
  return withRecords(
    { "a.jsonl": [...wasteful("a", 1).map(other), ...later] },
    async (archive) => {
      await judgeAll(archive);
      const [row] = (await listSessions(archive, sessionsQuery.parse({}))).sessions;
      const ledger = await sessionLedger(archive, row!.id);
      expect(ledger.culprits).toMatchObject([{ isPartial: true }]);
      expect(row!.culprit).toMatchObject({ isPartial: true });
      expect(ledger.verdict).toContain("≥ $");
      expect(row!.avoidable).toEqual(ledger.avoidable);
      expect(row!.avoidable).toMatchObject({ isPartial: true });
      const { usd, isPartial } = await findings(archive);
      expect({ usd, isPartial }).toEqual({ usd: row!.avoidable!.usd, isPartial: true });
    },
    hostPriced((model) =>
      model === "unlisted-1"
        ? null
        : completeRates({ uncached: 1e-6, read: 1e-7, write: 1.25e-6, write1h: 2e-6, output: 5e-6 }),
    ),
  );
});
