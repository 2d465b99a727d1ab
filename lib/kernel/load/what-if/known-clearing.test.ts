import { expect, test } from "vitest";
import { firstSeqOf, loadOf, type ItemSpec } from "../testing-ledger.ts";
import { replayClearing } from "./known-clearing.ts";

const CALL = 6;
/** Results one a call from the first on; those of `gone` were cleared before the seventh call. */
function session(tools: readonly string[], gone: readonly number[]) {
  const items = tools.map((toolName, i): ItemSpec => ({
    tokens: 1000 * (i + 1),
    from: i,
    seq: i + 1,
    toolName,
    ...(gone.includes(i + 1) ? { to: CALL } : {}),
  }));
  const compaction = { seq: firstSeqOf(CALL) - 50, kind: "micro" as const, cleared: new Set(gone) };
  const load = loadOf({ calls: 9, items, compactions: [compaction] });
  return { load, compaction: load.compactions[0]! };
}

test("the rule that the agent followed is replayed, and takes off what it took", () => {
  const { load, compaction } = session(["Read", "Read", "Read", "Read", "Read"], [1, 2, 3]);
  expect(replayClearing(load, compaction)).toMatchObject({
    policy: { mask: 2, keepTools: [], fromCall: 7 },
    drop: 6000 - 3 * 20,
  });
});

test("a tool whose older results stayed is one that is not cleared", () => {
  const { load, compaction } = session(["Read", "Task", "Read", "Task", "Read"], [1, 3]);
  expect(replayClearing(load, compaction)).toMatchObject({
    policy: { mask: 1, keepTools: ["Task"] },
    drop: 4000 - 2 * 20,
  });
});

test("without a call after it, or with nothing that it cleared in the prompt, there is nothing to compare", () => {
  const { load, compaction } = session(["Read", "Read"], [1]);
  expect(replayClearing(load, { ...compaction, seq: firstSeqOf(8) + 1 })).toBeNull();
  expect(replayClearing(load, { ...compaction, cleared: new Set([99]) })).toBeNull();
});
