// A compaction of a session of ours by a model that a person set up, over the real client: done, failed, cancelled.
import { describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { compactSession } from "#lib/archive/memory/compact.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { saveSummarizer } from "#lib/archive/settings/summarizer-setting.ts";
import { dumpOf, inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { modelSummarizers } from "#lib/models/index.ts";
import {
  answers,
  completion,
  GOOD,
  withModelServer,
  type Behave,
  type ModelServer,
} from "#lib/models/testing-models.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";

const SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const good = answers(completion(JSON.stringify(GOOD)));

const event = (uuid: string, body: object, startsTurn = false) => ({ record: "event", uuid, startsTurn, body });
const RECORDS = [0, 1, 2, 3].flatMap((turn) => [
  event(`u${turn}`, { type: "user", text: `Paint part ${turn}, my token is ${SECRET}` }, true),
  event(`c${turn}`, { type: "tool_call", toolCallId: `t${turn}`, toolName: "bash", input: { command: "paint" } }),
  event(`r${turn}`, { type: "tool_result", toolCallId: `t${turn}`, text: "painted\n".repeat(50) }),
  event(`a${turn}`, { type: "assistant", text: `Part ${turn} is green.` }),
]);

type Ground = { archive: Archive; id: string; model: ModelServer };

const grounds = (behave: Behave, run: (ground: Ground) => Promise<void>): Promise<void> =>
  withModelServer(behave, (model) =>
    inFolder((dir) =>
      withArchive(
        dir,
        async (archive) => {
          const { id } = await createSession(archive, { id: "run" });
          await ingest(archive, id, RECORDS);
          await saveSummarizer(archive, { kind: "openai", baseUrl: model.url, model: "small-1" });
          await run({ archive, id, model });
        },
        { ...testHost(), summarizers: modelSummarizers },
      ),
    ),
  );

const request = (more: object = {}) => compactRequest.parse({ summarizer: "small-1", tail: 1, dryRun: false, ...more });

/** Everything of the archive, the rows of memory and of compactions with it. */
const everythingOf = (archive: Archive): unknown => ({
  ...dumpOf(archive),
  more: ["episodic_items", "semantic_items", "memory_changes", "compactions", "snapshots"]
    .filter((name) => archive.sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== undefined)
    .map((name) => archive.sqlite.prepare(`SELECT * FROM ${name}`).all()),
});

describe("a session that a model compacts", () => {
  test("gets its summary and its facts, and the model none of the secrets", () =>
    grounds(good, async ({ archive, id, model }) => {
      const answer = await compactSession(archive, id, request());
      expect(answer).toMatchObject({ status: "complete", kind: "applied", summarizer: "openai:small-1" });
      expect(answer.summary).toContain(GOOD.episodic_summary);
      expect(answer.semantic.map(({ text }) => text)).toContain("Only green paint.");
      expect(model.requests.length).toBe(1);
      expect(model.requests[0]!.text).toContain("Paint part 0");
      expect(model.requests[0]!.text).not.toContain("Paint part 3");
      expect(model.requests[0]!.text).not.toContain(SECRET);
    }));

  test("asks nobody for an extracted summary, although a model is set up", () =>
    grounds(good, async ({ archive, id, model }) => {
      expect(await compactSession(archive, id, request({ summarizer: "extractive" }))).toMatchObject({
        status: "complete",
      });
      expect(model.requests).toEqual([]);
    }));

  const WRONG: readonly (readonly [string, Behave, RegExp])[] = [
    ["refuses the key", answers({ error: { message: "no" } }, 401), /did not accept the key/],
    ["answers garbage", answers({}), /does not fit this kind/],
    ["refuses", answers(completion(null, { refusal: "I cannot" })), /refused/],
    ["hangs up", (response) => void response.destroy(), /could not be asked/],
    ["talks", answers(completion("It was painted.")), /no JSON object/],
    ["redirects", answers({}, 307, { location: "http://169.254.169.254/" }), /not followed/],
  ];

  test.each(WRONG.map(([name, behave, words]) => ({ name, behave, words })))(
    "stays as it was where the model $name, and the person is told",
    ({ behave, words }) =>
      grounds(behave, async ({ archive, id }) => {
        const before = everythingOf(archive);
        const answer = await compactSession(archive, id, request());
        expect(answer).toMatchObject({ status: "failed", id: null });
        expect(answer.reason).toMatch(words);
        expect(everythingOf(archive)).toEqual(before);
        expect(await compactSession(archive, id, request({ summarizer: "extractive" }))).toMatchObject({
          status: "complete",
        });
      }),
  );

  test("stays as it was where it is cancelled, and at once", () =>
    grounds(
      () => {},
      async ({ archive, id }) => {
        const before = everythingOf(archive);
        const from = performance.now();
        const cancelled = compactSession(archive, id, request(), { signal: AbortSignal.timeout(200) });
        await expect(cancelled).rejects.toThrow(/stopped|cancelled/);
        expect(performance.now() - from).toBeLessThan(5000);
        expect(everythingOf(archive)).toEqual(before);
      },
    ));
});
