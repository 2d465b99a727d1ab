// What Claude Code counts itself (`cost-state`, from 2.1.330 on). Synthetic, in the shape of a run that compacted by itself:
// the compaction's own call is in no record, and in the totals.
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  answer,
  idOf,
  line,
  OTHER_SESSION,
  prompt,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { beyondWords, costNotes, spendWords } from "#lib/kernel/load/cost-words.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { cost, type Cost } from "#lib/wire/cost-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { exportSession } from "../sessions/export-session.ts";
import { showSession } from "../sessions/show-session.ts";
import { hostPriced, put, withArchive, withRecords } from "../testing-archive.ts";

// $4 a million, $0.20 read, $5 written, $20 out: what the run was billed.
const HOST = hostPriced(() =>
  completeRates({ uncached: 4e-6, read: 0.2e-6, write: 5e-6, write1h: 8e-6, output: 20e-6 }),
);

const withFiles = (...[files, check]: Parameters<typeof withRecords>) => withRecords(files, check, HOST);

const costIn = async (archive: Archive, name = SESSION): Promise<Cost> =>
  cost.parse((await showSession(archive, name)).cost);

const costState = (usd: number, [input, output, read, write]: number[], sessionId = SESSION): Rec => ({
  type: "cost-state",
  sessionId,
  totalCostUSD: usd,
  totalAPIDuration: 119,
  modelUsage: {
    "claude-opus-5": {
      inputTokens: input,
      outputTokens: output,
      thinkingTokens: 0,
      cacheReadInputTokens: read,
      cacheCreationInputTokens: write,
      cacheCreationEphemeral5mInputTokens: write,
      cacheCreationEphemeral1hInputTokens: 0,
      webSearchRequests: 0,
      costUSD: usd,
    },
  },
  hasUnknownModelCost: false,
});

const CALLS: Rec[] = [
  prompt("p", 1, "Work long"),
  answer("a1", 2, "one", text("One."), { usage: used(12, 0, 15_500, 81) }),
  answer("a2", 3, "two", text("Two."), { usage: used(7, 15_500, 75_000, 44) }),
  line("system", "c", 4, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 90_507 } }),
  prompt("s", 4, "Summary.", { isCompactSummary: true }),
  answer("a3", 5, "three", text("Three."), { usage: used(7, 0, 20_200, 44) }),
];
const OWN = 0.560_084;
/** 100 × 4 + 985,000 × 0.2 + 60 × 20 = 198,600 millionths: the call that wrote the summary. */
const SUMMARY = 0.1986;
const TOTALS = costState(OWN + SUMMARY, [126, 229, 1_000_500, 110_700]);

test("what the agent counts beyond its calls is spend of its own, and in no call", () =>
  withFiles({ [`${SESSION}.jsonl`]: [...CALLS, TOTALS] }, async (archive) => {
    const found = await costIn(archive);
    expect(found.calls).toBe(3);
    const { reported } = found;
    expect(reported!.calls.usage).toMatchObject({
      inputUncached: 26,
      cacheRead: 15_500,
      cacheWrite: 110_700,
      output: 169,
    });
    expect(reported!.calls.usd).toBeCloseTo(found.usd!, 12);
    expect(reported!.usage).toMatchObject({ inputUncached: 126, cacheRead: 1_000_500, output: 229 });
    expect(reported!.beyond!.usage).toMatchObject({
      inputUncached: 100,
      cacheRead: 985_000,
      cacheWrite: 0,
      output: 60,
    });
    expect(reported!.beyond!.usd).toBeCloseTo(SUMMARY, 12);
    expect(reported!.listUsd).toBeCloseTo(found.usd! + SUMMARY, 12);
    expect(found.usd).toBeCloseTo(OWN, 12);
    const { inputUncached, cacheRead, cacheWrite, output } = reported!.list;
    expect([inputUncached, cacheRead, cacheWrite, output]).toEqual(
      [126 * 4, 1_000_500 * 0.2, 110_700 * 5, 229 * 20].map((usd) => expect.closeTo(usd / 1e6, 9) as number),
    );
    expect(reported!.differences).toEqual([]);
    expect(spendWords(found)).toBe("$0.56");
    expect(beyondWords(found)).toBe("+ $0.20 in no call");
    expect(costNotes(found)).toContain("985,160 tokens ($0.20) were reported by the agent, in no call of the file.");
  }));

test("of a session whose models have no list price the agent's own dollars are said", () => {
  const calls = [answer("a1", 2, "one", text("One."), { usage: used(12, 0, 15_500, 81), model: "house-model" })];
  return withRecords(
    { [`${SESSION}.jsonl`]: [prompt("p", 1, "Look"), ...calls, costState(0.56, [12, 81, 0, 15_500])] },
    async (archive) => {
      const found = await costIn(archive);
      expect([found.usd, found.reported!.usd]).toEqual([null, 0.56]);
      expect(costNotes(found)).toContain("The agent itself counts $0.56.");
    },
    hostPriced(() => null),
  );
});

test("calls in fast mode are in the agent's totals of their model, and not beyond the calls", () =>
  withFiles(
    {
      [`${SESSION}.jsonl`]: [
        prompt("p", 1, "Be quick"),
        answer("a1", 2, "one", text("One."), { usage: { ...used(12, 0, 15_500, 81), speed: "fast" } }),
        answer("a2", 3, "two", text("Two."), { usage: used(7, 15_500, 75_000, 44) }),
        costState(1, [19, 125, 15_500, 90_500]),
      ],
    },
    async (archive) => {
      const { reported } = await costIn(archive);
      expect(reported!.beyond!.usage).toMatchObject({ inputUncached: 0, cacheRead: 0, cacheWrite: 0, output: 0 });
    },
  ));

test("the latest totals hold; calls after them, and calls of sub-agents, are no difference", () =>
  withFiles(
    {
      [`${SESSION}.jsonl`]: [
        ...CALLS,
        costState(0.1, [26, 100, 15_500, 90_500]),
        costState(1, [1026, 219, 15_500, 110_700]),
        answer("a4", 60, "four", text("Four."), { usage: used(5, 20_200, 300, 33) }),
      ],
      [`${SESSION}/subagents/agent-a1.jsonl`]: [
        prompt("q", 3, "Look", { isSidechain: true, agentId: "a1" }),
        answer("qa", 4, "qa", text("Seen"), {
          usage: used(1000, 0, 0, 50),
          more: { isSidechain: true, agentId: "a1" },
        }),
      ],
    },
    async (archive) => {
      const found = await costIn(archive);
      expect(found.calls).toBe(4);
      expect(beyondWords(found)).toBeNull();
      expect(found.reported!.calls.usage).toMatchObject({ inputUncached: 1026, output: 219 });
      expect(found.reported!.differences).toEqual([
        expect.stringMatching(/^The agent counts \$1\.00; its tokens cost \$0\.57/),
      ]);
    },
  ));

test("calls that the agent did not count are said", () =>
  withFiles({ [`${SESSION}.jsonl`]: [...CALLS, costState(0.5, [26, 100, 15_500, 110_700])] }, async (archive) => {
    const { reported } = await costIn(archive);
    expect(reported!.differences).toContain("The calls have 169 output tokens; the agent counts 100.");
  }));

test("totals of a session that was carried on are its own: what they have beside its calls is a compaction's", () => {
  const own = [7, 12, 16_800, 200];
  const more = answer("b", 70, "more", text("More."), { usage: used(7, 16_800, 200, 12) });
  const title = { type: "custom-title", customTitle: "On", sessionId: OTHER_SESSION, plimsollContinues: SESSION };
  return withFiles(
    {
      [`${SESSION}.jsonl`]: [...CALLS, TOTALS],
      [`${OTHER_SESSION}.jsonl`]: [
        title,
        ...CALLS.slice(-1).map((record) => ({ ...record, sessionId: OTHER_SESSION })),
        { ...more, sessionId: OTHER_SESSION },
        costState(1, [own[0]! + 100, own[1]! + 60, own[2]! + 985_000, own[3]!], OTHER_SESSION),
      ],
    },
    async (archive) => {
      const { inherited, reported } = await costIn(archive, OTHER_SESSION);
      expect(inherited).toMatchObject({ calls: 1 });
      expect(reported!.beyond!.usd).toBeCloseTo(SUMMARY, 12);
    },
  );
});

test("a copy's totals may count what its original paid: nothing is said to be in no call", () => {
  const copy = (record: Rec, n: number): Rec => ({ ...record, uuid: idOf(`copy ${n}`), sessionId: OTHER_SESSION });
  return withFiles(
    {
      [`${SESSION}.jsonl`]: [...CALLS, TOTALS],
      [`${OTHER_SESSION}.jsonl`]: [
        ...CALLS.map(copy),
        copy(answer("b", 70, "more", text("More."), { usage: used(9, 16_800, 200, 12) }), 99),
        costState(0.8, [135, 241, 1_017_300, 110_900], OTHER_SESSION),
      ],
    },
    async (archive) => {
      const found = await costIn(archive, OTHER_SESSION);
      expect(found.inherited).toMatchObject({ calls: 3 });
      expect(found.reported).toMatchObject({ usd: 0.8, beyond: null });
      expect(beyondWords(found)).toBeNull();
    },
  );
});

test("an exported session keeps them", () =>
  withFiles({ [`${SESSION}.jsonl`]: [...CALLS, TOTALS] }, async (archive, dir) => {
    let file = "";
    for await (const piece of exportSession(archive, SESSION)) file += piece;
    const path = put(dir, "session.plimsoll.jsonl", file);
    await withArchive(
      join(dir, "other"),
      async (other) => {
        const { files } = await importPaths(other, [path]);
        expect((await costIn(other, files[0]!.sessions[0])).reported).toEqual((await costIn(archive)).reported);
      },
      HOST,
    );
  }));
