import fc from "fast-check";
import { expect, test } from "vitest";
import { isFiltering, ROW_FLAG, ROW_MARKS, ROW_TYPES, rowCounts, rowFilter, type RowFilter } from "./row-filter.ts";

const TYPES = ["user", "assistant", "reasoning", "tool_call", "meta"];
const TOOLS = ["Bash", "Read", "a,b"];
const none: RowFilter = { types: [], tools: [], marks: [] };

// user; assistant, large; Bash, failed and large; Bash; Read, offloaded; hidden user; Bash, starts an agent.
const columns = {
  type: [0, 1, 3, 3, 3, 0, 3],
  types: TYPES,
  tool: [0, 0, 1, 1, 2, 0, 1],
  tools: TOOLS,
  tokens: [10, 2001, 9000, 2000, 300, 10, 5],
  flags: [0, 0, ROW_FLAG.error, 0, ROW_FLAG.offloaded, ROW_FLAG.hidden, ROW_FLAG.agent],
};
const through = (filter: Partial<RowFilter>, withHidden = false): number[] => {
  const passes = rowFilter(columns, { ...none, ...filter }, withHidden);
  return columns.type.map((_, i) => i).filter(passes);
};

test("types and tools add up, marks narrow", () => {
  expect(through({})).toEqual([0, 1, 2, 3, 4, 6]);
  expect(through({}, true)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(through({ types: ["user"] })).toEqual([0]);
  expect(through({ types: ["user"] }, true)).toEqual([0, 5]);
  expect(through({ types: ["user"], tools: ["Bash"] })).toEqual([0, 2, 3, 6]);
  expect(through({ marks: ["large"] })).toEqual([1, 2]);
  expect(through({ marks: ["large", "error"] })).toEqual([2]);
  expect(through({ tools: ["Bash", "Read"], marks: ["offloaded"] })).toEqual([4]);
  expect(through({ tools: ["nothing of this name"] })).toEqual([]);
});

test("what stands beside a choice, counted by hand", () => {
  expect(rowCounts(columns, none, false)).toEqual({
    types: { user: 1, assistant: 1, reasoning: 0 },
    tools: [
      { name: "Bash", count: 3 },
      { name: "Read", count: 1 },
      { name: "a,b", count: 0 },
    ],
    marks: { error: 1, large: 2, offloaded: 1, agent: 1 },
    matching: 6,
    total: 6,
  });
  const large = rowCounts(columns, { ...none, marks: ["large"] }, false);
  expect(large.types).toEqual({ user: 0, assistant: 1, reasoning: 0 });
  expect(large.tools[0]).toEqual({ name: "Bash", count: 1 });
  expect(large.matching).toBe(2);
});

test("a choice that is made alone lets through as many rows as stood beside it", () => {
  const row = fc.record({
    type: fc.nat(TYPES.length - 1),
    tool: fc.nat(TOOLS.length),
    tokens: fc.nat(4000),
    flags: fc.nat(127),
  });
  const anyFilter = fc.record({
    types: fc.subarray([...ROW_TYPES]),
    tools: fc.subarray(TOOLS),
    marks: fc.subarray([...ROW_MARKS]),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), anyFilter, fc.boolean(), (rows, filter, withHidden) => {
      const all = {
        type: rows.map(({ type }) => type),
        types: TYPES,
        tool: rows.map(({ tool }) => tool),
        tools: TOOLS,
        tokens: rows.map(({ tokens }) => tokens),
        flags: rows.map(({ flags }) => flags),
      };
      const count = (wanted: RowFilter) => rows.filter((_, i) => rowFilter(all, wanted, withHidden)(i)).length;
      const counts = rowCounts(all, filter, withHidden);
      expect(counts.matching).toBe(count(filter));
      expect(counts.total).toBe(count(none));
      for (const type of ROW_TYPES)
        expect(counts.types[type]).toBe(count({ types: [type], tools: [], marks: filter.marks }));
      for (const { name, count: own } of counts.tools)
        expect(own).toBe(count({ types: [], tools: [name], marks: filter.marks }));
      for (const mark of ROW_MARKS)
        expect(counts.marks[mark]).toBe(count({ ...filter, marks: [...new Set([...filter.marks, mark])] }));
      expect(isFiltering(filter) || counts.matching === counts.total).toBe(true);
    }),
  );
});
