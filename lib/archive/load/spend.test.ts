import type { Statement } from "better-sqlite3";
import { expect, test, vi } from "vitest";
import {
  answer,
  idOf,
  OTHER_SESSION,
  prompt,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { costNotes, inheritedWords, spendWords, unpricedWords } from "#lib/kernel/load/cost-words.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { cost, type Cost } from "#lib/wire/cost-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { whatIfRequest } from "#lib/wire/what-if-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { readModels } from "../settings/model-settings.ts";
import { sessionLedger } from "./session-ledger.ts";
import { showSession } from "../sessions/show-session.ts";
import { hostPriced, withRecords } from "../testing-archive.ts";
import { whatIfOf } from "./replay-session.ts";
import { sessionStatus } from "./session-status.ts";
import { usageReport } from "./usage-report.ts";

// $5 a million, $0.50 read, $6.25 for five minutes, $10 for an hour, $25 out; models named odd have no price.
const HOST = hostPriced((model) =>
  model.startsWith("odd")
    ? null
    : completeRates({ uncached: 5e-6, read: 0.5e-6, write: 6.25e-6, write1h: 10e-6, output: 25e-6 }),
);

const withFiles = (...[files, check, host = HOST]: Parameters<typeof withRecords>) => withRecords(files, check, host);

/** The cost that the page of the session, the list, the command `load` and the replay say: they are one. */
async function costIn(archive: Archive, id: string): Promise<Cost> {
  const shown = cost.parse((await showSession(archive, id)).cost);
  const { sessions } = await listSessions(archive, { ...sessionsQuery.parse({}), nested: true });
  const ledger = await sessionLedger(archive, id, { counted: true });
  expect(sessions.find((one) => one.id === ledger.sessionId)?.cost).toEqual(shown);
  expect(ledger.cost).toEqual(shown);
  const own = ledger.calls.filter((call) => !call.inherited && call.usd !== null);
  if (ledger.inputUsd !== null)
    expect(ledger.inputUsd).toBeCloseTo(
      own.reduce((sum, { usd }) => sum + usd!, 0),
      9,
    );
  const replayed = await whatIfOf(archive, id, whatIfRequest.parse({}));
  expect(replayed.cost).toEqual(shown);
  if (ledger.inputUsd === null) expect(replayed.actual.usd).toBeNull();
  else expect(replayed.actual.usd).toBeCloseTo(ledger.inputUsd, 9);
  const { models } = await readModels(archive);
  const all = sessions.reduce((sum, one) => sum + (one.cost.usd ?? 0), 0);
  expect(models.reduce((sum, { usd }) => sum + (usd ?? 0), 0)).toBeCloseTo(all, 9);
  return shown;
}

const id = (session: string): string => `claude-code:${session}`;
const hour = (usage: Rec): Rec => ({
  ...usage,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: usage["cache_creation_input_tokens"] },
});

test("a computed cost is at list price, five minutes and an hour apart", () =>
  withFiles(
    {
      "a.jsonl": [
        prompt("1", 1, "Go"),
        // 1000 × 5 + 40,000 × 10 + 100 × 25 = 407,500 millionths
        answer("2", 2, "a", text("On it."), { usage: hour(used(1000, 0, 40_000, 100)) }),
        // 40,000 × 0.5 + 2000 × 6.25 + 200 × 25 = 37,500
        answer("3", 3, "b", text("Done."), { usage: used(0, 40_000, 2000, 200) }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, id(SESSION));
      expect(found.usd).toBeCloseTo(0.445, 12);
      expect(found).toMatchObject({ origin: "list", atLeast: [], unpriced: 0, inherited: null, notes: [] });
      expect(spendWords(found)).toBe("$0.45");
      expect(costNotes(found)).toEqual(["List price."]);
    },
  ));

test("a list asks for the calls of all its sessions in one query", () =>
  withFiles(
    Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [
        `${at}.jsonl`,
        [prompt(`p${at}`, 1, "Go"), answer(`a${at}`, 2, `m${at}`, text("Done."), { usage: used(1000, 0, 0, at) })].map(
          (record) => ({ ...record, sessionId: SESSION.replace(/.$/u, String(at)) }),
        ),
      ]),
    ),
    async (archive) => {
      // Summaries are made at the first list, and ask for calls of their own.
      const first = await listSessions(archive, sessionsQuery.parse({}));
      const request = vi.spyOn(Object.getPrototypeOf(archive.sqlite.prepare("SELECT 1")) as Statement, "all");
      const { sessions } = await listSessions(archive, sessionsQuery.parse({}));
      const statements = request.mock.contexts.filter((one) => (one as Statement).source.includes("FROM model_calls"));
      request.mockRestore();
      // One for what they cost, one for what those that run send a minute.
      expect(statements).toHaveLength(2);
      expect(sessions).toEqual(first.sessions);
      expect(new Set(sessions.map(({ cost }) => cost.usd)).size).toBe(7);
      for (const one of sessions) expect(one.cost).toEqual((await showSession(archive, one.id)).cost);
    },
  ));

test("output that is only the start of a stream makes the cost a lower bound, with the reason", () =>
  withFiles(
    {
      "a.jsonl": [
        prompt("1", 1, "Go"),
        answer("2", 2, "a", text("On it."), { usage: used(1000, 0, 0, 100), stop: null }),
        answer("3", 3, "b", text("Done."), { usage: used(1000, 0, 0, 100) }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, id(SESSION));
      expect(spendWords(found)).toBe("≥ $0.01");
      expect(found.atLeast).toEqual(["The output of 1 of 2 calls is only the count at the start of the stream."]);
      expect((await readModels(archive)).models).toMatchObject([{ atLeast: found.atLeast, unpriced: 0 }]);
    },
  ));

test("calls that report no prompt make the cost a lower bound: an answer has one", () =>
  withFiles(
    {
      "a.jsonl": [
        prompt("1", 1, "Go"),
        answer("2", 2, "a", text("On it."), { usage: used(0, 0, 0, 400) }),
        answer("3", 3, "b", text("Done."), { usage: used(1000, 0, 0, 100) }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, id(SESSION));
      expect(spendWords(found)).toBe("≥ $0.02");
      expect(found.atLeast).toEqual(["The prompt of 1 of 2 calls is not reported."]);
      const { totals } = await usageReport(archive, usageQuery.parse({}));
      expect(totals).toMatchObject({ isPartial: true });
      expect(sessionStatus(archive, 1, 0).cost.isLeast).toBe(true);
    },
  ));

test("calls without a price never hide what the others cost", () =>
  withFiles(
    {
      "a.jsonl": [
        prompt("1", 1, "Go"),
        answer("2", 2, "a", text("On it."), { usage: used(1000, 0, 0, 200) }),
        answer("3", 3, "b", text("Odd."), { usage: used(1000, 0, 0, 200), model: "odd-1" }),
        answer("4", 4, "c", text("Odd."), { usage: used(1000, 0, 0, 200), model: "odd-1" }),
      ],
      "b.jsonl": [
        prompt("5", 1, "Go", { sessionId: OTHER_SESSION }),
        answer("6", 2, "d", text("Odd."), {
          usage: used(1000, 0, 0, 200),
          model: "odd-1",
          more: { sessionId: OTHER_SESSION },
        }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, id(SESSION));
      expect(found.usd).toBeCloseTo(0.01, 12);
      expect(found).toMatchObject({ unpriced: 2, atLeast: ["2 of 3 calls have no price (odd-1)."] });
      expect([spendWords(found), unpricedWords(found)]).toEqual(["≥ $0.01", "2 calls unpriced"]);
      expect((await showSession(archive, id(SESSION))).quality).toContain(
        "The cost is a lower bound: 2 of 3 calls have no price (odd-1).",
      );
      const none = await costIn(archive, id(OTHER_SESSION));
      expect([none.usd, spendWords(none), none.unpriced]).toEqual([null, null, 1]);
    },
  ));

test("a fork shows its own and its inherited spend apart, and no dollar is counted twice", () => {
  const shared = (sessionId: string): Rec[] => [
    prompt("1", 1, "Go", { sessionId }),
    answer("2", 2, "a", text("Far."), { usage: hour(used(1000, 0, 40_000, 100)), more: { sessionId } }),
  ];
  return withFiles(
    {
      [`${SESSION}.jsonl`]: shared(SESSION),
      [`${OTHER_SESSION}.jsonl`]: [
        ...shared(OTHER_SESSION),
        prompt("3", 3, "Another way", { sessionId: OTHER_SESSION }),
        answer("4", 4, "b", text("Here."), {
          usage: used(0, 40_000, 2000, 200),
          more: { sessionId: OTHER_SESSION },
        }),
      ],
    },
    async (archive) => {
      const origin = await costIn(archive, id(SESSION));
      const fork = await costIn(archive, id(OTHER_SESSION));
      expect(origin.usd).toBeCloseTo(0.4075, 12);
      expect(origin.inherited).toBeNull();
      expect(fork.usd).toBeCloseTo(0.0375, 12);
      expect(fork.inherited?.usd).toBeCloseTo(0.4075, 12);
      expect([spendWords(fork), inheritedWords(fork)]).toEqual(["$0.04", "+ $0.41 inherited"]);
      const ledger = await sessionLedger(archive, id(OTHER_SESSION), { counted: true });
      expect(ledger.calls.map((call) => [call.inherited, Math.round(call.usd! * 1e6)])).toEqual([
        [true, 405_000],
        [false, 32_500],
      ]);
      // What its items cost is what its own calls' input cost: 40,000 read and 2,000 written.
      const items = ledger.items.reduce((sum, { lifetimeUsd }) => sum + (lifetimeUsd ?? 0), 0);
      expect(items).toBeCloseTo(ledger.inputUsd!, 9);
      expect(ledger.inputUsd).toBeCloseTo(0.0325, 12);
    },
  );
});

test("a session whose calls are all inherited spent nothing itself", () =>
  withFiles(
    {
      [`${SESSION}.jsonl`]: [prompt("1", 1, "Go"), answer("2", 2, "a", text("Far."), { usage: used(1000, 0, 0, 0) })],
      [`${OTHER_SESSION}.jsonl`]: [
        prompt("1", 1, "Go", { sessionId: OTHER_SESSION }),
        answer("2", 2, "a", text("Far."), { usage: used(1000, 0, 0, 0), more: { sessionId: OTHER_SESSION } }),
        prompt("3", 3, "Hm", { sessionId: OTHER_SESSION, uuid: idOf("later") }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, id(OTHER_SESSION));
      expect(found).toMatchObject({ usd: 0, calls: 0, inherited: { calls: 1 } });
      expect(spendWords(found)).toBe("$0.00");
    },
  ));

test("a model that is sold in plans alone has no dollars, and the reason stands beside it", () =>
  withFiles(
    {
      "a.jsonl": [
        prompt("1", 1, "Go"),
        answer("2", 2, "a", text("One."), { usage: used(1000, 0, 0, 200), model: "odd-1" }),
        answer("3", 3, "b", text("Two."), { usage: used(1000, 0, 0, 200), model: "kimi-for-coding" }),
        answer("4", 4, "c", text("Three."), { usage: used(1000, 0, 0, 200), model: "codex-auto-review" }),
      ],
    },
    async (archive) => {
      const { atLeast } = await costIn(archive, id(SESSION));
      expect(atLeast).toEqual([
        "3 of 3 calls have no price (codex-auto-review, kimi-for-coding, odd-1).",
        "Sold in plans alone, without a price a token: codex-auto-review, kimi-for-coding.",
      ]);
    },
    hostPriced(() => null),
  ));
