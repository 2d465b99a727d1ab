// Invariants over every tool: answers stay under their bound and are never offloaded, and what belongs to another session
// is found as little as what never was.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { TOOLS } from "./index.ts";
import { READINGS, withTools } from "./testing-archive-tools.ts";
import { aloneProperty, boundsProperty } from "./testing-bounds.ts";

test("no answer of a tool is over its bound, and none is ever offloaded", { timeout: 240_000 }, async () => {
  await fc.assert(boundsProperty(), { numRuns: 20 });
  await withTools(async ({ archive, put, call }) => {
    const whole = await call("artifact_read", { artifact_id: (await put("y".repeat(262_144))).pointer });
    const recorded = await recordOutput(
      archive,
      { session: "mine", toolName: "artifact_read", toolCallId: "c", isError: false },
      Buffer.from(whole.text),
    );
    expect([whole.bytes, recorded.artifact, recorded.text === whole.text]).toEqual([262_144, null, true]);
  });
});

test("a session is answered as if it were alone in the archive", { timeout: 240_000 }, () =>
  fc.assert(aloneProperty(), { numRuns: 20 }),
);

describe("another session", () => {
  test("has things that are found as little as what never was, by every tool and every reference", () =>
    withTools(async ({ put, call }) => {
      const held = await put('{"secret":1}', { session: "other", name: "secret", toolName: "bash" });
      const none = "art:00000000-0000-4000-8000-000000000000";
      const refs: [request: string, never: string][] = [
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
        for (const [request, never] of refs) {
          const seen = await call(tool, input(request));
          const unseen = await call(tool, input(never));
          expect(seen.isError).toBe(true);
          // Word for word the same, but for what was asked.
          expect(seen.text.replaceAll(request, "X")).toBe(unseen.text.replaceAll(never, "X"));
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
