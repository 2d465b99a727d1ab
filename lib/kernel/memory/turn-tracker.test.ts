import { describe, expect, test } from "vitest";
import { trace } from "./testing-memory.ts";
import { lastSeqs, TurnTracker } from "./turn-tracker.ts";

describe("the names of turns", () => {
  test("count from one, or from where they are told to", () => {
    const tracker = new TurnTracker();
    expect([tracker.nextTurnId(), tracker.nextTurnId()]).toEqual(["turn_0001", "turn_0002"]);
    expect(new TurnTracker(10).nextTurnId()).toBe("turn_0010");
  });

  test("grow beyond four digits", () => {
    const tracker = new TurnTracker(9999);
    expect([tracker.nextTurnId(), tracker.nextTurnId()]).toEqual(["turn_9999", "turn_10000"]);
  });

  test("go on behind what is there already, whatever its order, and are not moved by names of others", () => {
    const corpus = [trace(7, 1), trace(3, 1), trace("3b1f0c7e-2f0e-4ad4-9a53-1a2b3c4d5e6f", 1), trace(null, 1)];
    expect(TurnTracker.after(corpus).nextTurnId()).toBe("turn_0008");
    expect(TurnTracker.after([trace("turn_10000", 1)]).nextTurnId()).toBe("turn_10001");
    expect(TurnTracker.after([trace("turn_99999999999999999999", 1)]).nextTurnId()).toBe("turn_0001");
    expect(TurnTracker.after([]).nextTurnId()).toBe("turn_0001");
  });

  test("come with the last number of each turn's traces", () => {
    const last = lastSeqs([trace(1, 2), trace(1, 5), trace(2, 1), trace(1, 3), trace(null, 9)]);
    expect([...last]).toEqual([
      ["turn_0001", 5],
      ["turn_0002", 1],
    ]);
  });
});
