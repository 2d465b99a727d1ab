// What an agent switched on for each of its requests: artifacts that are recalled, old results that are pruned, and a cap on
// what one result brings into the context.
import { describe, expect, test } from "vitest";
import { createSessionRequest, type HeldRequest } from "#lib/wire/held-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import { wholeText } from "../artifacts/whole-text.ts";
import type { Archive } from "../base/archive-type.ts";
import { inFolder, testHost, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { compactSession } from "./compact.ts";
import { ingest } from "./ingest-records.ts";
import { nextRequest } from "./next-request.ts";
import { memoryOf } from "./session-memory.ts";
import { userRecord, calls, gives, modelCall, request, said, tellTurns } from "./testing-run.ts";

const inSession = (
  settings: HeldRequest | undefined,
  run: (archive: Archive, id: string, clock: { ms: number }) => Promise<void>,
): Promise<void> =>
  inFolder((dir) => {
    const clock = { ms: Date.UTC(2026, 0, 1) };
    const host = { ...testHost(), now: () => clock.ms };
    return withArchive(
      dir,
      async (archive) => {
        const { id } = await createSession(archive, createSessionRequest.parse({ id: "run", request: settings }));
        await run(archive, id, clock);
        expect((await check(archive)).ok).toBe(true);
      },
      host,
    );
  });

const sent = async (archive: Archive, id: string) => {
  const answer = await nextRequest(archive, id, { as: "openai-chat" });
  return { ...answer, messages: (answer.request as { messages: { role: string; content: string }[] }).messages };
};

describe("recall", () => {
  const isBlock = ({ content }: { content: string }): boolean => content?.startsWith("<artifact_recall");

  test("puts what left the context and the last message asks for before it, within its budget, and is noted", () =>
    inSession({ recall: { topK: 1, maxChars: 900 } }, async (archive, id) => {
      await tellTurns(archive, id, 5, 400);
      expect((await sent(archive, id)).messages.filter(isBlock), "all stands in the context").toEqual([]);
      await compactSession(archive, id, request({ tail: 1 }));
      await ingest(archive, id, [userRecord("u6", "What was in pier_2.log?")]);
      const { messages, tokens, origin } = await sent(archive, id);
      const block = messages.at(-2)!;
      expect([isBlock(block), messages.at(-1)!.content]).toEqual([true, "What was in pier_2.log?"]);
      expect(block.content.length).toBeLessThanOrEqual(900);
      expect(block.content.match(/artifact: /g)).toHaveLength(1);
      expect([tokens > 0, origin]).toEqual([true, "estimated"]);
      const { recalls } = await memoryOf(archive, id);
      expect(recalls.some(({ query, items }) => query === "What was in pier_2.log?" && items.length === 1)).toBe(true);
    }));

  test("is off until a session asks for it", () =>
    inSession(undefined, async (archive, id) => {
      await tellTurns(archive, id, 2, 400);
      await sent(archive, id);
      expect((await memoryOf(archive, id)).recalls).toEqual([]);
    }));
});

describe("pruning", () => {
  test("shortens old results once the cache is cold, names their artifacts, and leaves the log as it is", () =>
    inSession(
      {
        prune: {
          ttlMs: 1000,
          keepLastAssistants: 1,
          softTrimRatio: 0,
          hardClearRatio: 0,
          minPrunableToolChars: 0,
          allow: [],
          deny: [],
        },
      },
      async (archive, id, clock) => {
        await tellTurns(archive, id, 3, 400);
        const ts = new Date(clock.ms).toISOString();
        await ingest(archive, id, [modelCall("c4", 4000), said("s4", "All is well.", { call: "c4", ts })]);
        const warm = await sent(archive, id);
        clock.ms += 1000;
        const cold = await sent(archive, id);
        expect(cold.tokens).toBeLessThan(warm.tokens / 2);
        expect(cold.origin).toBe("estimated");
        expect(JSON.stringify(cold.messages)).toContain("read them with artifact_read");
        expect(warm.messages.length).toBe(cold.messages.length);
      },
    ));
});

describe("a cap on results", () => {
  const long = "x".repeat(50_000);
  const records = [userRecord("u1", "Go."), calls("a1", "t1", "yes"), gives("r1", "t1", long), said("s1", "Done.")];

  test("keeps the two ends in the context and the whole as an artifact, also when it is told again", () =>
    inSession({ capResults: true }, async (archive, id) => {
      await ingest(archive, id, records);
      await ingest(archive, id, records);
      const result = (await sent(archive, id)).messages.find(({ role }) => role === "tool")!;
      expect(result.content.length).toBeLessThanOrEqual(32_000);
      expect(result.content).toContain("The whole output is an artifact.");
      const pointer = archive.sqlite.prepare("SELECT artifact FROM events WHERE artifact IS NOT NULL").pluck().get();
      expect(await wholeText(archive, pointer as string)).toBe(long);
    }));

  test("is off until a session asks for it", () =>
    inSession(undefined, async (archive, id) => {
      await ingest(archive, id, records);
      const result = (await sent(archive, id)).messages.find(({ role }) => role === "tool")!;
      expect(result.content).toBe(long);
    }));
});
