import { expect, test } from "vitest";
import { buildLedger } from "./ledger.ts";
import { dropsEarlierReasoning } from "./reasoning-rule.ts";
import { answered, event } from "./testing-load.ts";

test("the model decides whether reasoning of earlier turns is sent again", () => {
  const drop = [
    "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5-20251001",
    "claude-haiku-4-5@20251001",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-20250514",
    "claude-opus-4-1-20250805",
    "claude-opus-4-20250514",
    "claude-3-7-sonnet-20250219",
    "claude-3-5-haiku-20241022",
    "gpt-5.3-codex",
    "o3",
  ];
  const keep = [
    "claude-opus-4-5-20251101",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5",
    "gemini-3-pro",
    null,
  ];
  expect(drop.filter((model) => !dropsEarlierReasoning(model))).toEqual([]);
  expect(keep.filter((model) => dropsEarlierReasoning(model))).toEqual([]);
});

const session = (...models: readonly string[]) =>
  buildLedger({
    format: "claude-code",
    compactions: [],
    calls: models.map((model, k) => answered(k + 1, 3 * k + 2, null, 0, { model })),
    events: models.flatMap((_, k) => [
      event(3 * k + 1, "user", 50),
      event(3 * k + 2, "reasoning", 0, { signatureChars: 4000, bytes: 1600, call: k + 1 }),
      event(3 * k + 3, "assistant", 300, { call: k + 1 }),
    ]),
  });
const stayOf = (ledger: ReturnType<typeof session>, seq: number) => ledger.items.find((item) => item.seq === seq);

test("reasoning leaves before a turn of a model that does not read it, under any agent", () => {
  // One answer a turn: Sonnet 4.5 never gets its reasoning back.
  expect(stayOf(session("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"), 2)).toBeUndefined();
  expect(stayOf(session("claude-opus-4-5-20251101", "claude-opus-4-5-20251101"), 2)).toMatchObject({ from: 1, to: 2 });
});

test("a change of model takes it out at the first turn of the model that does not read it", () => {
  const ledger = session("claude-opus-4-5", "claude-opus-4-5", "claude-sonnet-4-5");
  expect(stayOf(ledger, 2)).toMatchObject({ from: 1, to: 2 });
  expect(stayOf(ledger, 5)).toBeUndefined();
});
