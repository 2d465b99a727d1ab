// Invariants over every tool: answers stay under their bound and are never offloaded, and what belongs to another session
// is found as little as what never was.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import { PRESETS } from "#lib/kernel/artifacts/policy.ts";
import { TOOLS } from "./index.ts";
import { toolOf } from "./run-tool.ts";
import { READINGS, withTools } from "./testing.ts";

/** Contents that grow where a bound might not look: long lines, many lines, wide characters, JSON, bytes. */
const content = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("x", "é", "€", "😀", "\r", "\n", '"', "\\"), fc.nat(600_000))
      .map(([unit, length]) => Buffer.from(unit.repeat(Math.ceil(length / Buffer.byteLength(unit))))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.string({ unit: "grapheme", maxLength: 200 }), fc.nat(20_000))
      .map(([line, lines]) =>
        Buffer.from(`${line.toWellFormed()}\n`.repeat(Math.min(lines, 2_000_000 / (line.length + 1)))),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.json(), fc.nat(3000))
      .map(([value, times]) =>
        Buffer.from(`[${Array.from({ length: times + 1 }, () => value).join(",")}]`.slice(0, 3_000_000)),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 3000 })
      .map((bytes) => Buffer.concat(Array.from({ length: 200 }, () => bytes))),
  },
);

const question = fc.record(
  {
    start_line: fc.nat(30_000),
    end_line: fc.nat(60_000),
    start_char: fc.nat(400_000),
    max_chars: fc.integer({ min: 1, max: 65_536 }),
    encoding: fc.constantFrom("raw", "base64"),
  },
  { requiredKeys: [] },
);

const grepOptions = fc.subarray(["-n", "-v", "-i", "-o", "-w", "-c", "-A5", "-B5", "-F"]);
const programs = fc.constantFrom(
  ".",
  ".[]",
  "..",
  "tojson",
  "[.,.]",
  "keys",
  ".[] | length",
  "error",
  "[limit(9; repeat(.))]",
);

test("no answer of a tool is over its bound, and none is ever offloaded", { timeout: 240_000 }, () =>
  withTools(async ({ archive, put, call }) => {
    await fc.assert(
      fc.asyncProperty(content, question, grepOptions, programs, async (bytes, part, grep_options, expression) => {
        const { pointer } = await put(bytes);
        const calls: [string, object][] = [
          ...READINGS.map(([tool, input]): [string, object] => [tool, input(pointer)]),
          ["artifact_read", { artifact_id: pointer, ...part }],
          ["artifact_grep", { artifact_id: pointer, pattern: "x|.", grep_options }],
          ["artifact_jq", { artifact_id: pointer, expression, raw_output: true }],
          ["artifact_list", { limit: 200 }],
          ["listArtifacts", {}],
        ];
        for (const [name, input] of calls) {
          const answer = await call(name, input);
          expect(answer.bytes).toBeLessThanOrEqual(toolOf(name).maxBytes);
          expect(isEnvelope(answer.text)).toBe(isEnvelope(bytes.toString()) && answer.text === bytes.toString());
          for (const policy of Object.values(PRESETS))
            expect(
              decideOffload(
                { toolName: name, sizeBytes: answer.bytes, chars: answer.text.length, isEnvelope: false },
                { policy, availableTools: [name], usedInputTokens: 1e9, writesClosed: false },
              ).action,
            ).toBe("inline");
        }
      }),
      { numRuns: 25 },
    );
    const whole = await call("artifact_read", { artifact_id: (await put("y".repeat(262_144))).pointer });
    const recorded = await recordOutput(
      archive,
      { session: "mine", toolName: "artifact_read", toolCallId: "c", isError: false },
      Buffer.from(whole.text),
    );
    expect([whole.bytes, recorded.artifact, recorded.text === whole.text]).toEqual([262_144, null, true]);
  }),
);

describe("another session", () => {
  test("has things that are found as little as what never was, by every tool and every reference", () =>
    withTools(async ({ put, call }) => {
      const held = await put('{"secret":1}', { session: "other", name: "secret", toolName: "bash" });
      const none = "art:00000000-0000-4000-8000-000000000000";
      const refs: [asked: string, never: string][] = [
        [held.pointer, none],
        [held.artifactId, "art_0000000000000000"],
        [`art:${held.artifactId}`, "art:art_0000000000000000"],
        [`sha256:${held.digest}`, `sha256:${"0".repeat(64)}`],
        ["secret", "nothing"],
        ["other/secret", "other/nothing"],
        [`${held.sessionId}/secret`, `${held.sessionId}/nothing`],
        [held.digest, "0".repeat(64)],
      ];
      for (const [tool, input] of READINGS)
        for (const [asked, never] of refs) {
          const seen = await call(tool, input(asked));
          const unseen = await call(tool, input(never));
          expect(seen.isError).toBe(true);
          // Word for word the same, but for what was asked.
          expect(seen.text.replaceAll(asked, "X")).toBe(unseen.text.replaceAll(never, "X"));
        }
      for (const list of ["artifact_list", "listArtifacts"]) expect(await call(list, {})).toMatchObject({ text: "[]" });
      expect(await call("getArtifact", { pointerOrName: held.pointer }, "other")).toMatchObject({
        text: '{"secret":1}',
      });
    }));

  test("that stored the same bytes gives nothing away and lends nothing", () =>
    withTools(async ({ put, text }) => {
      const theirs = await put("known bytes", { session: "other", name: "theirs", toolName: "bash", ttlSeconds: 5 });
      const mine = await put("known bytes", { name: "mine" });
      expect(mine.artifactId).toBe(theirs.artifactId);
      expect(await text("getArtifact", { pointerOrName: mine.artifactId })).toBe("known bytes");
      expect(await text("getArtifact", { pointerOrName: theirs.pointer })).toContain("no artifact found");
      const list = JSON.parse(await text("artifact_list", {})) as { pointer: string }[];
      expect(list.map((one) => one.pointer)).toEqual([mine.pointer]);
    }));

  test("is not there for a tool that is asked in a session that nobody made", () =>
    withTools(async ({ call }) => {
      for (const { name } of TOOLS)
        await expect(call(name, {}, "no-such-session")).rejects.toMatchObject({ code: "not_found" });
    }));
});
