import { EventEmitter } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { ContentScan } from "#lib/kernel/artifacts/scan.ts";
import { createScans } from "./scan-thread.ts";

const threads: Thread[] = [];
class Thread extends EventEmitter {
  isRef = true;
  readonly posted: unknown[] = [];
  constructor() {
    super();
    threads.push(this);
  }
  ref(): void {
    this.isRef = true;
  }
  unref(): void {
    this.isRef = false;
  }
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
  async terminate(): Promise<void> {}
}
vi.mock("node:worker_threads", () => ({
  Worker: function (): Thread {
    return new Thread();
  },
}));
afterEach(() => void threads.splice(0));

test("the end of a thread that failed is not that of the one after it", async () => {
  const scans = createScans();
  const first = scans.open();
  const failed = expect(first.end()).rejects.toThrow("out of memory");
  threads[0]!.emit("error", new Error("out of memory"));
  const second = scans.open();
  const facts = second.end();
  threads[0]!.emit("exit", 1);
  const { index, ...found } = new ContentScan(Buffer.from("one line\n")).end();
  threads[1]!.emit("message", { id: 2, facts: found, index: index.encode() });
  expect(await facts).toMatchObject({ sizeBytes: 9 });
  await failed;
  expect(threads.map(({ isRef }) => isRef)).toEqual([true, false]);
  // Nothing is made for nothing.
  scans.open();
  expect(threads).toHaveLength(2);
});
