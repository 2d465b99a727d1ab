// Every thread of a job is started without an environment and without words of the command line, whoever starts it.
import type { WorkerOptions } from "node:worker_threads";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

const started = vi.hoisted(() => [] as { file: string; options: WorkerOptions | undefined }[]);
vi.mock("node:worker_threads", async (original) => {
  const threads = await original<typeof import("node:worker_threads")>();
  class Watched extends threads.Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      started.push({ file: String(file).split("/").pop()!, options });
      super(file, options);
    }
  }
  return { ...threads, Worker: Watched };
});
const { createJobs } = await import("./index.ts");

test("no thread of a job sees the environment", async () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-env-"));
  const path = join(dir, "a.json");
  writeFileSync(path, '{"a":[1,2,3]}');
  const jobs = createJobs({ grepEngine: "re2" });
  try {
    const scan = jobs.scan();
    await scan.add(Buffer.from("line\n"));
    await scan.end();
    // What they answer is their own tests' matter: here they only have to begin.
    await Promise.allSettled([
      jobs.jq({ program: ".", source: { path } } as never),
      jobs.grep({ pattern: "a", path } as never),
      jobs.json({ kind: "rows", path } as never),
      jobs.summarize({ path } as never),
      jobs.shape({ path } as never),
    ]);
  } finally {
    await jobs.close();
    rmSync(dir, { recursive: true, force: true });
  }
  expect(new Set(started.map(({ file }) => file)).size).toBeGreaterThanOrEqual(4);
  for (const { file, options } of started) expect([file, options?.env, options?.execArgv]).toEqual([file, {}, []]);
});
