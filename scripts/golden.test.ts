import { describe, expect, test } from "vitest";
import { DATA, fileVerdict, goldenReader, hasData, ordersOf, readGolden, setVerdict } from "./golden.ts";
import { isMet } from "./golden/golden-figure.ts";
import { GOLDEN_READERS } from "./golden/index.ts";

if (!hasData())
  console.warn(`golden.test.ts: ${DATA} is absent; the collected sessions are NOT compared with their figures.`);

/** Folders of the collection without a reader. A new reader takes its line out. */
const NOT_YET_READ: readonly string[] = [];

test("the orders of a set are all of them, once each", () => {
  const orders = ordersOf([1, 2, 3, 4]).map((order) => order.join(""));
  expect(orders).toHaveLength(24);
  expect(new Set(orders).size).toBe(24);
});

describe.skipIf(!hasData())("the collected sessions", () => {
  const golden = hasData() ? readGolden() : { files: {}, sets: {} };

  const read = Object.keys(golden.files).filter((file) => goldenReader(file) !== null);
  const unread = Object.keys(golden.files).filter((file) => goldenReader(file) === null);

  test("are there, each of a folder whose figures are compared or that is named here", () => {
    expect(Object.keys(golden.files).length).toBeGreaterThanOrEqual(97);
    expect(Object.keys(golden.sets)).toEqual(["fork pair", "resume chain"]);
    for (const { folder } of GOLDEN_READERS) expect(read.some((file) => file.startsWith(`${folder}/`))).toBe(true);
    expect([...new Set(unread.map((file) => file.split("/")[0]!))].toSorted()).toEqual(NOT_YET_READ);
  });

  test.each(read)("%s meets every figure", async (file) => {
    const { figures } = await fileVerdict(file, golden.files[file]);
    expect(figures.length).toBeGreaterThanOrEqual(7);
    expect(figures.filter((figure) => !isMet(figure))).toEqual([]);
  });

  test("a figure that differs is seen", async () => {
    const file = read.find((name) => name.startsWith("claude-code/"))!;
    const want = golden.files[file] as { toolCalls: number };
    const { figures } = await fileVerdict(file, { ...want, toolCalls: want.toolCalls + 1 });
    expect(figures.filter((figure) => !isMet(figure)).map(({ name }) => name)).toEqual(["toolCalls"]);
  });

  const orders = Object.entries(golden.sets).flatMap(([name, set]) =>
    ordersOf(set.files.map(({ file }) => file)).map((order, i) => ({ name, i, order })),
  );
  test.each(orders)("$name has the same totals in order $i", async ({ name, order }) => {
    const { figures } = await setVerdict(name, order);
    expect(figures.filter((figure) => !isMet(figure))).toEqual([]);
  });
});
