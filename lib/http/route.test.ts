import { expect, test, vi } from "vitest";
import { route } from "./route.ts";
import { fillSlot, type Slot } from "./slot.ts";

// These doors touch nothing of it.
fillSlot({} as Slot);
const context = { params: Promise.resolve({}) };

test("who went away is told nothing, and is no failure in the log", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const gone = new AbortController();
  const waits = route({
    run: ({ signal }) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  });
  const told = waits(new Request("http://localhost/api/x", { signal: gone.signal }), context);
  setImmediate(() => gone.abort());
  expect((await told).status).toBe(499);
  expect(log).not.toHaveBeenCalled();

  // A bug is one whoever waits for the answer.
  const fails = route({ run: () => Promise.reject(new Error("a bug")) });
  const { signal } = gone;
  expect((await fails(new Request("http://localhost/api/x", { signal }), context)).status).toBe(500);
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});
