// Synthetic records in the shape that Claude Code writes.
import { expect, test } from "vitest";
import { bodies, idOf, line, parse, type Rec } from "./testing-claude.ts";

test("a boundary of clients before June 2026 names the first message that stays", () => {
  const preservedSegment = { headUuid: idOf("x"), anchorUuid: idOf("s"), tailUuid: idOf("y") };
  const boundary = (more: Rec): Rec =>
    line("system", "c", 1, {
      subtype: "compact_boundary",
      compactMetadata: { trigger: "auto", preservedSegment, ...more },
    });
  expect(bodies(parse(boundary({})))[0]).toMatchObject({ kind: "full", keptFrom: idOf("x") });
  const [both] = bodies(parse(boundary({ preservedMessages: { uuids: [idOf("y")] } })));
  expect(both).toMatchObject({ preserved: [idOf("y")] });
  expect(both).not.toHaveProperty("keptFrom");
});

test.each(["bridge-session", "artifact-autoreact-ledger", "artifact-comment-monitor"])(
  "a record of type %s is a note",
  (type) => {
    const [body] = bodies(parse({ type, sessionId: "s", bridgeSessionId: "cse_1", lastSequenceNum: 0 }));
    expect(body).toEqual({ type: "meta", subtype: type, text: "cse_1" });
  },
);
