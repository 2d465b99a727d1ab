import { describe, expect, test } from "vitest";
import { join } from "node:path";
import { AppError, isAppError } from "#lib/kernel/errors.ts";
import type { Summarizer } from "#lib/kernel/memory/memory-types.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { saveSummarizer } from "../settings/summarizer-setting.ts";
import { inFolder, testHost, withArchive } from "../testing-archive.ts";
import { compactSession } from "./compact.ts";
import { ingest } from "./ingest-records.ts";
import { request, seqsIn, tellTurns, turnOf } from "./testing-run.ts";

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );

/** Runs with a session of six turns and a model that was set up. */
const withModel = (
  summarize: Summarizer["summarize"],
  run: (archive: Archive, id: string) => Promise<void>,
): Promise<void> =>
  inFolder((dir) => {
    const model = { id: "openai:tiny", summarize, tryOut: async () => ({ said: "", model: null, ms: 0 }) };
    const host = { ...testHost(), summarizers: { of: () => model } };
    return withArchive(
      join(dir, "archive"),
      async (archive) => {
        const { id } = await createSession(archive, { id: "run" });
        await tellTurns(archive, id, 6);
        await saveSummarizer(archive, { kind: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "tiny" });
        await run(archive, id);
      },
      host,
    );
  });

const byModel = request({ summarizer: "tiny" });

test("a model's summary stands for all of the cut, with what failed and its files behind it", () =>
  withModel(
    (traces, { turnIds, budgetChars }) => {
      expect(turnIds).toEqual(["turn_0001", "turn_0002", "turn_0003", "turn_0004"]);
      expect(budgetChars).toBeLessThan(1500);
      expect(traces.map(({ traceType }) => traceType).slice(0, 4)).toEqual([
        "user",
        "tool_call",
        "tool_result",
        "assistant",
      ]);
      expect(JSON.stringify(traces)).toContain("harbour4Log119");
      return { summary: "The piers were looked at.", facts: [{ fact: "gate_4 stays open", category: "durable_fact" }] };
    },
    async (archive, id) => {
      const done = await compactSession(archive, id, byModel);
      expect(done).toMatchObject({ status: "complete", summarizer: "openai:tiny", dropped: [] });
      expect(done.summary).toContain("The piers were looked at.");
      expect(done.summarised).toHaveLength(16);
      expect(done.semantic).toMatchObject([{ text: "gate_4 stays open", category: "durable_fact", salience: 200 }]);
      expect(done.kept.userMessages).toEqual({ kept: 0, total: 4 });
      expect((await seqsIn(archive, id))[1]).toEqual([27]);
    },
  ));

test("a model is told as much of the tools as the request says, with its instructions, and answers one draft of them", () => {
  const seen: string[][] = [];
  return withModel(
    (traces, { instructions }) => {
      seen.push([...new Set(traces.map(({ traceType }) => traceType)), instructions ?? ""]);
      return { summary: "The piers were looked at.", facts: [] };
    },
    async (archive, id) => {
      const asking = { ...byModel, dryRun: true, toolEvents: "exclude" as const, instructions: "In Danish" };
      const dry = await compactSession(archive, id, asking);
      expect(await code(compactSession(archive, id, { ...byModel, draft: dry.draft! }))).toBe("conflict");
      const done = await compactSession(archive, id, { ...asking, dryRun: false, draft: dry.draft! });
      expect(done).toMatchObject({ status: "complete", kept: { commands: { kept: 0, total: 4 } } });
      expect(done.summarised, "all of the cut leaves").toHaveLength(16);
      expect(seen).toEqual([["user", "assistant", "In Danish"]]);
      expect(await compactSession(archive, id, { ...asking, dryRun: false })).toMatchObject({ id: done.id });
    },
  );
});

test("secrets that a model repeats are masked", () => {
  const secret = `ghp_${"a1B2c3D4".repeat(4)}abcd`;
  return withModel(
    () => ({ summary: `The token is ${secret}.`, facts: [] }),
    async (archive, id) => {
      expect(JSON.stringify(await compactSession(archive, id, byModel))).not.toContain(secret);
    },
  );
});

test.each([
  ["refuses", new AppError("unsupported", "The model refused.")],
  ["is too slow", new AppError("timeout", "The model did not answer in time.")],
  ["answers garbage", new AppError("invalid", "The reply holds no JSON.")],
])("a model that %s leaves everything as it was, and the answer says why", (_, error) =>
  withModel(
    async () => {
      throw error;
    },
    async (archive, id) => {
      const events = archive.sqlite.prepare("SELECT * FROM events").all();
      for (const dryRun of [true, false]) {
        const answer = await compactSession(archive, id, { ...byModel, dryRun });
        expect(answer).toMatchObject({ status: "failed", id: null, reason: error.message, summary: "" });
        expect(answer.tokensAfter).toBe(answer.tokensBefore);
      }
      expect(archive.sqlite.prepare("SELECT * FROM events").all()).toEqual(events);
      expect(archive.sqlite.prepare("SELECT count(*) FROM compactions").pluck().get()).toBe(0);
      expect((await compactSession(archive, id, request())).status).toBe("complete");
    },
  ),
);

test("a model that is waited for can be stopped", () =>
  withModel(
    (_, { signal }) => new Promise((__, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
    async (archive, id) => {
      const stop = new AbortController();
      const running = compactSession(archive, id, byModel, { signal: stop.signal });
      setTimeout(() => stop.abort(), 20);
      expect(await code(running)).toBe("timeout");
      expect(archive.sqlite.prepare("SELECT count(*) FROM compactions").pluck().get()).toBe(0);
    },
  ));

test("another model than the one that was set up is refused", () =>
  withModel(
    () => ({ summary: "never asked", facts: [] }),
    async (archive, id) => {
      expect(await code(compactSession(archive, id, request({ summarizer: "huge" })))).toBe("invalid");
      for (const name of ["tiny", "openai:tiny", "model"])
        expect((await compactSession(archive, id, request({ summarizer: name, dryRun: true }))).summarizer).toBe(
          "openai:tiny",
        );
    },
  ));

describe("what a dry run showed", () => {
  const counting = (): { summarize: Summarizer["summarize"]; requests: () => number } => {
    let times = 0;
    const summarize = () => {
      times++;
      return { summary: `The piers were looked at, ${times}.`, facts: [{ fact: `gate_${times} stays open` }] };
    };
    return { summarize, requests: () => times };
  };

  test("is what is applied: the model is not asked again", () => {
    const { summarize, requests: requested } = counting();
    return withModel(summarize, async (archive, id) => {
      const first = await compactSession(archive, id, { ...byModel, dryRun: true });
      const second = await compactSession(archive, id, { ...byModel, dryRun: true });
      expect([requested(), first.draft === second.draft]).toEqual([2, false]);
      const done = await compactSession(archive, id, { ...byModel, draft: first.draft! });
      expect(requested()).toBe(2);
      expect(done).toMatchObject({ status: "complete", draft: null, summary: first.summary });
      expect(done.semantic.map(({ text }) => text)).toEqual(["gate_1 stays open"]);
    });
  });

  test("is answered again with what it became, and another draft in the same words is not", () => {
    let drafts = 0;
    return withModel(
      () => ({ summary: `The piers were looked at, draft ${(drafts += 1)}.`, facts: [] }),
      async (archive, id) => {
        const first = await compactSession(archive, id, { ...byModel, dryRun: true });
        const second = await compactSession(archive, id, { ...byModel, dryRun: true });
        expect([first.summary, second.summary].map((text) => /draft \d/.exec(text!)![0])).toEqual([
          "draft 1",
          "draft 2",
        ]);
        const done = await compactSession(archive, id, { ...byModel, draft: first.draft! });
        expect(done.status).toBe("complete");
        expect((await compactSession(archive, id, { ...byModel, draft: first.draft! })).id).toBe(done.id);
        const other = await compactSession(archive, id, { ...byModel, draft: second.draft! });
        expect(other).toMatchObject({ status: "nothing_to_compact", id: null });
      },
    );
  });

  test("is refused when it would stand for something else now, and nothing is written", () => {
    const { summarize, requests: requested } = counting();
    return withModel(summarize, async (archive, id) => {
      const { draft } = await compactSession(archive, id, { ...byModel, dryRun: true });
      for (const other of [{ tail: 1 }, { budgetChars: 900 }, { draft: "drf_0000000000000000" }])
        expect(await code(compactSession(archive, id, { ...byModel, draft: draft!, ...other }))).toBe("conflict");
      await ingest(archive, id, turnOf(7));
      expect(await code(compactSession(archive, id, { ...byModel, draft: draft! }))).toBe("conflict");
      expect(requested()).toBe(1);
      expect(archive.sqlite.prepare("SELECT count(*) FROM compactions").pluck().get()).toBe(0);
    });
  });

  test("is not held without a model, which says the same every time", () =>
    withModel(counting().summarize, async (archive, id) => {
      expect((await compactSession(archive, id, request({ dryRun: true }))).draft).toBeNull();
    }));
});
