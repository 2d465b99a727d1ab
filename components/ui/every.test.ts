import { afterEach, expect, test, vi } from "vitest";
import { everyInFront } from "./every.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a tab behind others asks for nothing, and goes on when it is in front", () => {
  vi.useFakeTimers();
  const tab = { visibilityState: "visible" };
  vi.stubGlobal("document", tab);
  let runs = 0;
  const end = everyInFront(() => runs++, 1000);
  vi.advanceTimersByTime(2000);
  expect(runs).toBe(2);
  tab.visibilityState = "hidden";
  vi.advanceTimersByTime(5000);
  expect(runs).toBe(2);
  tab.visibilityState = "visible";
  vi.advanceTimersByTime(1000);
  expect(runs).toBe(3);
  end();
  vi.advanceTimersByTime(5000);
  expect(runs).toBe(3);
});
