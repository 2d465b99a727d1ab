import { expect, test } from "vitest";
import type { UsageRow } from "#lib/wire/usage-schema.ts";
import { usageCsv } from "./usage-csv.ts";

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
  modelsUsed: ["m"],
  modelBreakdowns: [],
};

test("a row of usage is a line, and no text is a formula", () => {
  const [head, first, second] = usageCsv([ROW, { ...ROW, group: '=A1,"x"' }]).split("\r\n");
  expect(head).toBe(
    "date,group,calls,inputTokens,cacheCreationTokens,cacheReadTokens,outputTokens,reasoningTokens,totalTokens,totalCost,isPartial,cacheShare",
  );
  expect(first).toBe("2026-03-09,/quay,2,10,0,30,5,0,45,0.25,true,0.75");
  expect(second).toBe('2026-03-09,"\'=A1,""x""",2,10,0,30,5,0,45,0.25,true,0.75');
});
