import { expect, test } from "vitest";
import { buildLedger } from "./ledger.ts";
import { knownRequests, overheadsOf } from "./overhead.ts";
import { answered, event } from "./testing-load.ts";

test("of an epoch whose request is known the first prompt is held against its text, model by model", () => {
  const events = [
    event(1, "prefix", 3000, { isFrame: true, label: "system_prompt You are a pilot" }),
    event(2, "user", 100),
    event(4, "user", 50),
  ];
  const ledger = buildLedger({
    calls: [answered(1, 3, 4000), answered(2, 5, 4060)],
    events,
    compactions: [],
    format: "claude-code",
  });
  // 3,000 × 1.1 of the prompt's text, 100 × 1.0 + 10 of the person's.
  expect(knownRequests(ledger)).toEqual([{ model: "claude-opus-4-6", charged: 4000, text: 3410 }]);
  const other = { model: null, charged: 10, text: 8 };
  expect(overheadsOf([other, ...knownRequests(ledger), ...knownRequests(ledger)])).toEqual([
    { model: "claude-opus-4-6", requests: 2, charged: 8000, text: 6820 },
    { model: "unnamed", requests: 1, charged: 10, text: 8 },
  ]);
});

test("a prompt with a hidden prefix says nothing of it", () => {
  const ledger = buildLedger({
    calls: [answered(1, 3, 9000)],
    events: [event(1, "user", 100)],
    compactions: [],
    format: "claude-code",
  });
  expect(knownRequests(ledger)).toEqual([]);
});
