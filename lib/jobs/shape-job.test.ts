// The thread that reads shapes: it stops at its size and at its deadline with what it has, and the next call works.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJobs } from "./index.ts";

const jobs = createJobs();
let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-shape-"));
});
afterAll(async () => {
  await jobs.close();
  rmSync(dir, { recursive: true, force: true });
});

const ENOUGH = { mostBytes: 1e9, deadlineMs: 20_000 };
const fileOf = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const sounding = (at: number): string => `{"at":${at},"fathoms":${at % 9},"ground":"${["sand", "mud"][at % 2]}"}`;
const soundings = (count: number): string => Array.from({ length: count }, (_, at) => sounding(at)).join("\n");

test("a file is read through whole", async () => {
  const text = soundings(50_000);
  const shape = await jobs.shape({ path: fileOf("a.jsonl", text), kind: "lines", limits: ENOUGH });
  expect(shape).toMatchObject({ values: 50_000, broken: 0, stopped: null, readBytes: text.length });
  expect(shape.nodes.find(({ path }) => path === ".ground")?.values).toMatchObject([
    { text: "sand", count: 25_000 },
    { text: "mud", count: 25_000 },
  ]);
});

test("what is larger than it may be is told of its first bytes", async () => {
  const path = fileOf("b.json", `[${soundings(20_000).replaceAll("\n", ",")}]`);
  const shape = await jobs.shape({ path, kind: "json", limits: { ...ENOUGH, mostBytes: 300_000 } });
  expect(shape).toMatchObject({ stopped: "size", readBytes: 300_000, brokenAt: null });
  const [, element] = shape.nodes;
  expect(element!.count).toBeGreaterThan(5000);
  expect(element!.count).toBeLessThan(20_000);
  expect(shape.nodes[0]!.lengths!.max).toBe(element!.count);
  // A line that was cut is none that is broken.
  const lines = await jobs.shape({
    path: fileOf("b.jsonl", soundings(9)),
    kind: "lines",
    limits: { ...ENOUGH, mostBytes: 100 },
  });
  expect(lines).toMatchObject({ stopped: "size", values: 2, broken: 0 });
});

test("of a size to the byte nothing is said to be missing", async () => {
  const text = soundings(10);
  const limits = { ...ENOUGH, mostBytes: text.length };
  expect(await jobs.shape({ path: fileOf("c.jsonl", text), kind: "lines", limits })).toMatchObject({
    values: 10,
    stopped: null,
  });
});

test("at its deadline it tells what it has read", async () => {
  const path = fileOf("d.jsonl", soundings(200_000));
  const shape = await jobs.shape({ path, kind: "lines", limits: { ...ENOUGH, deadlineMs: 0 } });
  expect(shape.stopped).toBe("deadline");
  expect(shape.readBytes).toBe(256 * 1024);
  expect(shape.values).toBeGreaterThan(1000);
});

test("a file that is gone is said to be, and the next one is read", async () => {
  await expect(jobs.shape({ path: join(dir, "none"), kind: "json" })).rejects.toMatchObject({ code: "not_found" });
  expect(await jobs.shape({ path: fileOf("e.json", "7"), kind: "json" })).toMatchObject({ values: 1 });
});

test.each([64, 255, 256, 257, 512, 513, 4999, 5000, 9999, 10_001, 100_000])(
  "nesting of %i comes through",
  async (depth) => {
    const path = fileOf("f.json", `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);
    const shape = await jobs.shape({ path, kind: "json", limits: ENOUGH });
    expect(shape).toMatchObject({ values: 1, stopped: null, isTooDeep: true });
    expect(shape.nodes).toHaveLength(65);
    expect(JSON.parse(JSON.stringify(shape))).toEqual(shape);
  },
);
