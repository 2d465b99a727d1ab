import { partsOf } from "#lib/wire/load-stack.ts";
import { expect, test } from "vitest";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import {
  compactionSizes,
  epochAround,
  indexOfSeq,
  loadView,
  rangeSums,
  shortLabel,
  spanOf,
  spanText,
} from "./load-view.ts";

const call = (n: number, prompt: number, stack: number[]): LoadCall => ({
  call: n,
  seq: n * 10,
  ts: null,
  turn: 1,
  epoch: 0,
  model: null,
  prompt,
  origin: "reported",
  uncached: prompt,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  webSearches: 0,
  output: 5,
  outputLowerBound: false,
  inherited: false,
  stack,
  estimated: [0, 0, 0, 0, 0, 1, 0, 0],
  entered: [],
  cacheBreak: false,
});

const answer: LoadAnswer = {
  calls: [
    call(1, 100, [60, 0, 10, 20, 5, 5, 0, 0]),
    call(2, 150, [60, 0, -10, 80, 10, 10, 0, 0]),
    call(3, 90, [60, 20, 10, 0, 0, 0, 0, 0]),
  ],
  window: { tokens: 200, origin: null },
  loadLine: { tokens: 160, origin: null },
  rewinds: [],
  compactions: [{ seq: 25, afterCall: 2, kind: "full", trigger: "auto", tokensBefore: 150, tokensAfter: 90 }],
  turns: [],
  jumps: [],
  lost: 0,
  counting: false,
  version: "1",
};
const view = loadView(answer);

test("the stack ends at the prompt, and stands over it where a part is negative", () => {
  expect(view.tops.at(-1)?.[0]).toBe(100);
  expect(view.tops.at(-1)?.[1]).toBe(160);
  expect(partsOf(answer.calls[1] as LoadCall).reduce((sum, part) => sum + part.tokens, 0)).toBe(150);
});

test("a compaction parts the calls around it", () => {
  expect(view.breaks).toEqual([2]);
  expect(compactionSizes(view).get(25)).toEqual({ before: 150, after: 90 });
  expect(epochAround(view, 1)).toEqual({ from: 0, to: 2 });
  expect(epochAround(view, 2)).toEqual({ from: 2, to: 3 });
});

test("an event belongs to the call whose answer had begun", () => {
  expect([1, 10, 19, 20, 35].map((seq) => indexOfSeq(view, seq))).toEqual([0, 0, 0, 1, 2]);
});

test("parts carry where they come from", () => {
  const origins = partsOf(answer.calls[0] as LoadCall).map((part) => part.origin);
  expect(origins).toEqual(["reported", "counted", "reported", "counted", "counted", "estimated", "counted", "counted"]);
});

test("a range says its growth from the call before it, and all that was sent", () => {
  expect(rangeSums(view, { from: 1, to: 3 })).toMatchObject({ calls: 2, growth: -10, sent: 240, peak: 150 });
});

test("a range in the URL is read back, and nonsense is no range", () => {
  expect(spanOf(spanText({ from: 0, to: 2 }), view)).toEqual({ from: 0, to: 2 });
  for (const text of ["", "0-2", "1-99", "a-b", "1-2-3", "-1-2"]) expect(spanOf(text, view)).toBeNull();
});

test("a step is named by its file", () => {
  expect(shortLabel("Read cmd/cli/strategy/manual_commit_test.go")).toBe("manual_commit_test.go");
  expect(shortLabel("go test -json ./...")).toBe("go test -json ./...");
});

test("the peak is the largest reported prompt, and an estimate only where nothing is reported", () => {
  const prompts = [100, 900, 300];
  const calls = (origins: readonly LoadCall["origin"][]): LoadCall[] =>
    prompts.map((prompt, i) => ({ ...call(i + 1, prompt, [prompt, 0, 0, 0, 0, 0, 0, 0]), origin: origins[i]! }));
  const peakOf = (...origins: LoadCall["origin"][]) => loadView({ ...answer, calls: calls(origins) }).peakIndex;
  expect(peakOf("reported", "reported", "reported")).toBe(1);
  expect(peakOf("reported", "estimated", "reported")).toBe(2);
  expect(peakOf("estimated", "estimated", "estimated")).toBe(1);
});
