import { describe, expect, test } from "vitest";
import { DATA, fileVerdict, hasData, isMet, ordersOf, readGolden, setVerdict } from "./golden.ts";

if (!hasData())
  console.warn(`golden.test.ts: ${DATA} is absent; the collected sessions are NOT compared with their figures.`);

test("the orders of a set are all of them, once each", () => {
  const orders = ordersOf([1, 2, 3, 4]).map((order) => order.join(""));
  expect(orders).toHaveLength(24);
  expect(new Set(orders).size).toBe(24);
});

describe.skipIf(!hasData())("the collected sessions", () => {
  const golden = hasData() ? readGolden() : { files: {}, sets: {} };

  test("are there: those of four agents, and two sets", () => {
    expect(Object.keys(golden.files).length).toBeGreaterThanOrEqual(50);
    expect(Object.keys(golden.sets)).toEqual(["fork pair", "resume chain"]);
  });

  test.each(Object.keys(golden.files))("%s meets every figure", async (file) => {
    const { figures } = await fileVerdict(file, golden.files[file]!);
    expect(figures.length).toBeGreaterThanOrEqual(7);
    expect(figures.filter((figure) => !isMet(figure))).toEqual([]);
  });

  test("a figure that differs is seen", async () => {
    const [file, want] = Object.entries(golden.files)[0]!;
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
