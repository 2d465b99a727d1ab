// Automatic compaction of a session that Plimsoll holds: when it is due, when it is done, and what keeps it from an agent.
import { describe, expect, test } from "vitest";
import type { ToolEventPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { compactionSettings } from "#lib/kernel/memory/settings.ts";
import { RENDERERS } from "#lib/wire/memory-schema.ts";
import { createSessionRequest, type HeldCompaction } from "#lib/wire/held-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { showSession } from "../sessions/show-session.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { listCompactions } from "./compaction-rows.ts";
import { heldBudget } from "./held-budget.ts";
import { ingest } from "./ingest-records.ts";
import { nextRequest } from "./next-request.ts";
import { readCompaction } from "./read-compaction.ts";
import { memoryOf } from "./session-memory.ts";
import { userRecord, modelCall, request, tellTurns } from "./testing-run.ts";

type Env = Readonly<Record<string, string>>;

const SMALL: HeldCompaction = { contextTokens: 8000, safetyMarginTokens: 0 };

/** Runs with a session that has this to say of compaction, in an environment that says that. */
const inSession = (
  compaction: HeldCompaction | undefined,
  run: (archive: Archive, id: string, dir: string) => Promise<void>,
  env: Env = {},
): Promise<void> =>
  inFolder((dir) =>
    withArchive(
      dir,
      async (archive) => {
        const { id } = await createSession(archive, createSessionRequest.parse({ id: "run", compaction }));
        await run(archive, id, dir);
      },
      { ...testHost(), compaction: compactionSettings(env) },
    ),
  );

const next = (archive: Archive, id: string) => nextRequest(archive, id, { as: "openai-chat" });
const tell = (archive: Archive, id: string, records: readonly unknown[], epoch?: number) =>
  ingest(archive, id, records, { epoch });
const compactionsOf = async (archive: Archive, id: string) => (await listCompactions(archive, id)).compactions;

describe("a prompt over the budget", () => {
  test("is compacted before the next request, and told as automatic", () =>
    inSession(SMALL, async (archive, id) => {
      // The prompt of turn 7 has 7,000 tokens: over 0.8 of 8,000.
      await tellTurns(archive, id, 7);
      const first = await next(archive, id);
      expect(first).toMatchObject({
        epoch: 2,
        didCompact: true,
        compaction: { status: "complete", trigger: "early" },
        budget: { inputTokens: 8000, triggerTokens: 6400 },
      });
      expect(first.compaction!.tokensAfter).toBeLessThan(first.compaction!.tokensBefore!);
      expect(first.tokens).toBe(first.compaction!.tokensAfter);
      expect(JSON.stringify(first.request)).toContain("never close gate_1");
      expect(await compactionsOf(archive, id)).toMatchObject([{ trigger: "early", status: "complete" }]);
      const { items } = await memoryOf(archive, id);
      expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(["episodic", "semantic"]));
      expect(await showSession(archive, id)).toMatchObject({ state: "compacted" });
      expect((await check(archive)).ok).toBe(true);
      expect(await next(archive, id)).toMatchObject({ epoch: 2, didCompact: false, compaction: null });
    }));

  test("below its share nothing is due, whatever renderer is asked for", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 6);
      for (const as of RENDERERS)
        expect(await nextRequest(archive, id, { as })).toMatchObject({ as, epoch: 1, compaction: null });
    }));

  test("two requests at once compact once, and both are sent what it left", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 9);
      const both = await Promise.all([next(archive, id), next(archive, id)]);
      expect(both.map(({ didCompact }) => didCompact).toSorted()).toEqual([false, true]);
      expect(both[0].request).toEqual(both[1].request);
      expect(await compactionsOf(archive, id)).toHaveLength(1);
    }));

  test("waits for the compaction that a person has begun, and makes no second", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 9);
      const [byHand, sent] = await Promise.all([compactSession(archive, id, request()), next(archive, id)]);
      expect([byHand.status, sent.compaction, sent.epoch]).toEqual(["complete", null, 2]);
      expect(await compactionsOf(archive, id)).toMatchObject([{ trigger: "manual" }]);
    }));

  test("of an older epoch asks for nothing, and neither does a record that was told before", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 9);
      const { epoch } = await next(archive, id);
      await tell(archive, id, [userRecord("u10", "Go on."), modelCall("c10", 9000)], epoch - 1);
      await tell(archive, id, [modelCall("c9", 9000)], epoch);
      expect((await next(archive, id)).compaction).toBeNull();
      await tell(archive, id, [userRecord("u11", "Go on."), modelCall("c11", 9000)], epoch);
      expect((await next(archive, id)).compaction).toMatchObject({ trigger: "budget" });
    }));

  test("is compacted once in a turn; the next turn may again", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 9);
      await next(archive, id);
      await tell(archive, id, [modelCall("again", 9500)]);
      const refused = await next(archive, id);
      expect(refused.compaction).toMatchObject({ status: "nothing_to_compact", trigger: "budget" });
      expect(refused.compaction!.reason).toMatch(/made no room: 9000 tokens before, 9500 after/);
      await tell(archive, id, [userRecord("u10", "Go on.")]);
      expect(await compactionsOf(archive, id)).toHaveLength(1);
      expect((await next(archive, id)).compaction!.status).not.toBe("failed");
    }));

  test("after an undoing is asked for again by the next count", () =>
    inSession(SMALL, async (archive, id) => {
      await tellTurns(archive, id, 9);
      const { compaction } = await next(archive, id);
      await undoCompaction(archive, compaction!.id!);
      const sent = await next(archive, id);
      expect([sent.epoch, sent.compaction]).toEqual([3, null]);
      await tell(archive, id, [userRecord("u10", "Go on."), modelCall("c10", 9000)], sent.epoch);
      expect((await next(archive, id)).didCompact).toBe(true);
    }));
});

describe("a compaction that fails", () => {
  test("leaves the context as it was, says why, and is tried again in the next turn", () =>
    inSession({ ...SMALL, summarizer: "gpt-9" }, async (archive, id) => {
      await tellTurns(archive, id, 9);
      const sent = await next(archive, id);
      expect(sent).toMatchObject({ epoch: 1, didCompact: false, compaction: { status: "failed", id: null } });
      expect(sent.compaction!.reason).toMatch(/No summarizer "gpt-9" is set up/);
      expect((sent.request as { messages: unknown[] }).messages.length).toBeGreaterThan(30);
      expect((await next(archive, id)).compaction!.reason).toMatch(/No retry in this turn/);
      await tell(archive, id, [userRecord("u10", "Go on.")]);
      expect((await next(archive, id)).compaction).toMatchObject({ status: "failed" });
      expect(await compactionsOf(archive, id)).toEqual([]);
    }));

  test("with nothing to compact says so, and asks no more", () =>
    inSession({ ...SMALL, tail: 9 }, async (archive, id) => {
      await tell(archive, id, [userRecord("u1", "Go."), modelCall("c1", 9000)]);
      expect((await next(archive, id)).compaction).toMatchObject({ status: "nothing_to_compact" });
      expect((await next(archive, id)).compaction).toBeNull();
    }));
});

test("what is due is due after a new start", () =>
  inFolder(async (dir) => {
    const { id } = await withArchive(dir, async (archive) => {
      const session = await createSession(archive, { id: "run", compaction: SMALL });
      await tellTurns(archive, session.id, 9);
      return session;
    });
    await withArchive(dir, async (archive) => {
      expect((await next(archive, id)).didCompact).toBe(true);
      expect((await next(archive, id)).compaction).toBeNull();
    });
  }));

describe("the budget", () => {
  const RATIO = "AUTOBYTEUS_COMPACTION_TRIGGER_RATIO";
  const TOKENS = "AUTOBYTEUS_ACTIVE_CONTEXT_TOKENS_OVERRIDE";
  const budgetIn = async (compaction: HeldCompaction | undefined, env: Env = {}, contextWindow?: number) => {
    let found: unknown;
    await inFolder((dir) =>
      withArchive(
        dir,
        async (archive) => {
          const { id } = await createSession(
            archive,
            createSessionRequest.parse({ id: "run", compaction, contextWindow }),
          );
          const pk = archive.sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck().get(id) as number;
          const capacity = heldBudget(archive, pk)?.capacity;
          found = capacity === undefined ? null : [capacity.inputBudget, capacity.compactionRatio];
        },
        { ...testHost(), compaction: compactionSettings(env) },
      ),
    );
    return found;
  };

  test("is off until the session or the environment names one", async () => {
    expect(await budgetIn(undefined)).toBeNull();
    expect(await budgetIn(undefined, {}, 50_000)).toBeNull();
    expect(await budgetIn(undefined, { [RATIO]: "0", [TOKENS]: "much" })).toBeNull();
    await inSession(undefined, async (archive, id) => {
      await tellTurns(archive, id, 9);
      expect(await next(archive, id)).toMatchObject({ compaction: null, budget: null, epoch: 1 });
    });
  });

  test("is the window less the output less a margin; 200,000 where no window is known", async () => {
    expect(await budgetIn({ maxOutputTokens: 1000 }, {}, 12_000)).toEqual([10_744, 0.8]);
    expect(await budgetIn({ contextTokens: 6000, maxOutputTokens: 500, safetyMarginTokens: 200, ratio: 0.7 })).toEqual([
      5300, 0.7,
    ]);
    expect(await budgetIn({ maxOutputTokens: 500, safetyMarginTokens: 128, ratio: 0.5 }, {}, 8000)).toEqual([
      7372, 0.5,
    ]);
    expect(await budgetIn({})).toEqual([199_744, 0.8]);
    expect(await budgetIn({ maxInputTokens: 5000, safetyMarginTokens: 100 }, {}, 12_000)).toEqual([4900, 0.8]);
  });

  test("is the environment's where the session says nothing, and the session's where it does", async () => {
    const env = { [RATIO]: "0.5", [TOKENS]: "4256" };
    expect(await budgetIn(undefined, env)).toEqual([4000, 0.5]);
    expect(await budgetIn(undefined, env, 50_000), "before the window").toEqual([4000, 0.5]);
    expect(await budgetIn({ contextTokens: 8256, ratio: 0.9 }, env)).toEqual([8000, 0.9]);
    expect(await budgetIn(undefined, { [RATIO]: "1.4" }, 10_256), "a ratio alone").toEqual([10_000, 1]);
  });

  test("is read by the names of other agents' configurations too", async () => {
    expect(await budgetIn({ ...SMALL, threshold_percent: 55, keep_recent_inputs: 1 })).toEqual([8000, 0.55]);
    expect(await budgetIn({ ...SMALL, threshold_percent: 55, ratio: 0.7 })).toEqual([8000, 0.7]);
    expect(await budgetIn({ ...SMALL, enabled: false })).toBeNull();
    expect(createSessionRequest.safeParse({ compaction: { threshold_percent: 40 } }).success).toBe(false);
  });

  test("with a policy of tool events summarises those alone; what is kept says what was there", async () => {
    const summaryOf = async (tool_event_policy?: ToolEventPolicy): Promise<string> => {
      let summary = "";
      await inSession({ ...SMALL, tool_event_policy }, async (archive, id) => {
        await tellTurns(archive, id, 9, 4);
        await tell(archive, id, [modelCall("more", 9000)]);
        const { compaction } = await next(archive, id);
        expect(compaction).toMatchObject({ status: "complete" });
        const done = await readCompaction(archive, compaction!.id!);
        expect(done.kept.commands.total).toBe(9);
        ({ summary } = done);
      });
      return summary;
    };
    expect(await summaryOf()).toContain("cat pier_9.log");
    const outputs = await summaryOf("include_outputs");
    expect(outputs).not.toContain("cat pier_");
    expect(await summaryOf("exclude")).not.toMatch(/cat pier_|tide/);
  });

  test("takes instructions for a model, and no others", () => {
    const asks = (more: HeldCompaction) => createSessionRequest.safeParse({ compaction: { ...SMALL, ...more } });
    expect(asks({ compaction_message: "In Danish", summarizer: "gpt-9" }).success).toBe(true);
    expect(asks({ compaction_message: "In Danish" }).error!.issues).toMatchObject([
      { path: ["compaction", "instructions"] },
    ]);
    expect(asks({ compaction_message: "x".repeat(10_001), summarizer: "gpt-9" }).success).toBe(false);
  });

  test("of the environment alone compacts a session", () =>
    inSession(
      undefined,
      async (archive, id) => {
        await tellTurns(archive, id, 5);
        expect((await next(archive, id)).compaction).toMatchObject({ status: "complete", trigger: "budget" });
      },
      { [TOKENS]: "4256" },
    ));
});

test("an imported session is never compacted: its request is refused, and its events are no ingest", () =>
  inSession(
    SMALL,
    async (archive, _, dir) => {
      const header = { plimsoll: 1, id: "theirs" };
      const lines = [header, userRecord("u1", "Go."), modelCall("c1", 9000)].map((one) => `${JSON.stringify(one)}\n`);
      await importPaths(archive, [put(dir, "theirs.plimsoll.jsonl", lines.join(""))]);
      const id = archive.sqlite.prepare("SELECT id FROM sessions WHERE held = 0").pluck().get() as string;
      await expect(next(archive, id)).rejects.toMatchObject({ code: "conflict" });
      expect(await compactionsOf(archive, id)).toEqual([]);
      expect(
        archive.sqlite.prepare("SELECT count(*) FROM held_compaction WHERE required IS NOT NULL").pluck().get(),
      ).toBe(0);
    },
    { AUTOBYTEUS_ACTIVE_CONTEXT_TOKENS_OVERRIDE: "100" },
  ));
