import { expect, test } from "vitest";
import { usageCsv } from "./usage-columns.ts";
import type { UsageRow } from "./usage-schema.ts";

const ROW: UsageRow = {
  date: "2026-03-09",
  group: "/quay",
  calls: 2,
  inputTokens: 10,
  cacheCreationTokens: 0,
  cacheReadTokens: 30,
  outputTokens: 5,
  reasoningTokens: 0,
  totalTokens: 45,
  totalCost: 0.25,
  isPartial: true,
  cacheShare: 0.75,
  compactions: null,
  modelsUsed: ["m"],
  modelBreakdowns: [],
};

test("a row of usage is a line, and no text is a formula", () => {
  const [head, first, second] = usageCsv([ROW, { ...ROW, group: '=A1,"x"' }]).split("\r\n");
  expect(head).toBe(
    "date,group,calls,inputTokens,cacheCreationTokens,cacheReadTokens,outputTokens,reasoningTokens,totalTokens,totalCost,isPartial,cacheShare,compactions",
  );
  expect(first).toBe("2026-03-09,/quay,2,10,0,30,5,0,45,0.25,true,0.75,");
  expect(second).toBe('2026-03-09,"\'=A1,""x""",2,10,0,30,5,0,45,0.25,true,0.75,');
});
