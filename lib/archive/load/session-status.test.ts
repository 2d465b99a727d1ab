// The line of a status line says what the session's pages say.
import { expect, test } from "vitest";
import {
  answer,
  asks,
  line,
  OTHER_SESSION,
  prompt,
  result,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { sessionStatus as statusSchema } from "#lib/wire/status-schema.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { showSession } from "../sessions/show-session.ts";
import { saveWarnAt } from "../settings/warn-setting.ts";
import { hostPriced, inFolder, put, withRecords } from "../testing-archive.ts";
import { fastestGrowth } from "./fastest-growth.ts";
import { sessionStatus, statusOfFolder, statusSession } from "./session-status.ts";
import { weightsOf } from "./event-weights.ts";

const HOST = hostPriced(() =>
  completeRates({ uncached: 4e-6, read: 0.2e-6, write: 5e-6, write1h: 8e-6, output: 20e-6 }),
);
/** The day of these records, by the clock of whoever runs the test. */
const at = (second: number): number => Date.UTC(2026, 0, 5, 9, 0, second);

const WORK: Rec[] = [
  prompt("p", 1, "Count"),
  answer("a1", 2, "one", asks("t1", "Bash", { command: "ls" }), { usage: used(10, 0, 10_000, 50) }),
  result("r1", 3, "t1", "gull ".repeat(4000)),
  answer("a2", 4, "two", asks("t2", "Read", { file_path: "x" }), { usage: used(10, 10_000, 5990, 50) }),
  result("r2", 5, "t2", "tern"),
  answer("a3", 6, "three", text("Done."), { usage: used(10, 16_000, 990, 50) }),
];

test("load, growth, cost, day and cache are those of the session's own calls", () =>
  withRecords(
    { "a.jsonl": WORK },
    async (archive) => {
      const pk = findSession(archive, SESSION);
      const status = statusSchema.parse(sessionStatus(archive, pk, at(60)));
      const shown = await showSession(archive, SESSION);
      expect(status.load).toMatchObject({ tokens: 17_000, call: 3, line: shown.peak.loadLine, origin: "reported" });
      expect(status.load.tokens).toBe(shown.last.tokens);
      expect(status.growth).toEqual({ tokensPerCall: 3495, calls: 2 });
      // 30 × 4 + 26,000 × 0.2 + 16,980 × 5 + 150 × 20 = 93,220 millionths.
      expect(status.cost.usd).toBeCloseTo(0.09322, 9);
      expect(status.cost.usd).toBeCloseTo(shown.cost.usd!, 12);
      expect(status.day.usd, "all of it was spent today").toBeCloseTo(0.09322, 9);
      expect(sessionStatus(archive, pk, at(60) + 3 * 86_400_000).day.usd, "and nothing three days later").toBeNull();
      expect(status.cache, "five minutes after the last call").toEqual({ expiresAt: new Date(at(306)).toISOString() });
      expect(status.warnAt).toBeNull();
      await saveWarnAt(archive, { warnAt: 0.7 });
      expect(sessionStatus(archive, pk, at(60)).warnAt).toBe(0.7);
    },
    HOST,
  ));

test("what grew fastest is weighed as the ledger weighs it, and follows a call behind", () =>
  withRecords({ "a.jsonl": WORK.slice(0, 4) }, async (archive, dir) => {
    const pk = findSession(archive, SESSION);
    const first = fastestGrowth(archive, pk)!;
    expect(first).toMatchObject({ label: "Bash", calls: 1, call: 2 });
    expect(first.tokens).toBe(weightsOf(archive, pk).of(3).tokens);
    await importPaths(archive, [put(dir, "logs/a.jsonl", WORK.map((one) => `${JSON.stringify(one)}\n`).join(""))]);
    expect(fastestGrowth(archive, pk)).toEqual(first);
    await new Promise((resolve) => setImmediate(resolve));
    expect(fastestGrowth(archive, pk)).toMatchObject({ label: "Bash", calls: 2, call: 3 });
  }));

test("after a compaction growth begins anew; without a call there is none", () =>
  withRecords(
    {
      "a.jsonl": [
        ...WORK,
        line("system", "c", 7, {
          subtype: "compact_boundary",
          compactMetadata: { trigger: "auto", preTokens: 17_000 },
        }),
        prompt("s", 7, "Summary.", { isCompactSummary: true }),
        answer("a4", 8, "four", text("On."), { usage: used(5000, 0, 0, 50) }),
      ],
      "b.jsonl": [prompt("q", 9, "Nobody answers", { sessionId: OTHER_SESSION })],
    },
    async (archive) => {
      expect(sessionStatus(archive, findSession(archive, SESSION), at(60))).toMatchObject({
        load: { tokens: 5000 },
        growth: null,
        callsLeft: null,
        cache: null,
      });
      const silent = findSession(archive, OTHER_SESSION);
      expect(statusSession(archive, undefined), "the one that was active last").toBe(silent);
      expect(sessionStatus(archive, silent, at(60))).toMatchObject({
        load: { tokens: null, share: null },
        cost: { usd: null },
        cache: null,
      });
      expect(fastestGrowth(archive, silent)).toBeNull();
      expect(statusOfFolder(archive.dir, SESSION, at(60)).load.tokens).toBe(5000);
    },
  ));

test("no archive, or none of this name: it says so", () =>
  inFolder(async (dir) => {
    expect(() => statusOfFolder(dir, undefined, 0)).toThrow("No archive in");
  }));
