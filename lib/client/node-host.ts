// What the kernel is given where nothing else is: the machine's clock, random ids, timers.
import { randomUUID } from "node:crypto";
import type { ExecutorHost } from "#lib/kernel/tools/bounded-tool-executor.ts";

export const nodeHost: ExecutorHost = {
  now: () => Date.now(),
  newId: () => randomUUID(),
  after(ms, f) {
    const timer = setTimeout(f, ms);
    return () => clearTimeout(timer);
  },
};
