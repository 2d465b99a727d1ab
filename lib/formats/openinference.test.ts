// Exported spans: however attributes are nested and spans are ordered, one conversation; costs, other sessions, damage.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInference } from "./openinference.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures", "openinference-synthetic-spans.json"));
const read = (given: Buffer) =>
  openInference.parse(
    { bytes: given, byteStart: 0, byteEnd: given.length, line: 1 },
    openInference.start({ path: "/spans.json", head: given.subarray(0, 65_536), sidecars: new Map() }),
  );
const types = (given: Buffer) => read(given).flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []));
const CONVERSATION = ["system", "user", "tool_call", "tool_result", "assistant"];
const spans = (JSON.parse(bytes.toString()) as { data: Record<string, unknown>[] }).data;
const lines = (all: readonly unknown[]): Buffer => Buffer.from(all.map((one) => `${JSON.stringify(one)}\n`).join(""));

test("spans in any order are one conversation, as an answer, a list or lines", () => {
  expect(types(bytes)).toEqual(CONVERSATION);
  expect(types(Buffer.from(JSON.stringify(spans.toReversed())))).toEqual(CONVERSATION);
  expect(types(lines(spans))).toEqual(CONVERSATION);
});

test("costs are those that the spans tell, with the tokens of the same calls", () => {
  expect(read(bytes).find(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.75,
    usage: { "gpt-5.5": { inputUncached: 140, cacheRead: 10, output: 18 } },
  });
});

test("each session of a file has its own lane, and a span that came twice stands once", () => {
  const other = { ...spans[2], attributes: { ...(spans[2]!["attributes"] as object), session: { id: "harbour-10" } } };
  const context = { trace_id: "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", span_id: "0x00000000000000b1" };
  const drafts = read(lines([...spans, ...spans, { ...other, context, parent_id: null }]));
  const lanes = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.lane] : []));
  expect(lanes).toEqual([...CONVERSATION.map(() => ""), "harbour-10", "harbour-10", "harbour-10"]);
});

test("a damaged line costs that span alone", () => {
  const text = lines(spans).toString();
  const drafts = read(Buffer.from(text.replace('"name":"book"', '"name":book"')));
  expect(drafts.filter(({ kind }) => kind === "problem")).toHaveLength(1);
  expect(drafts.filter(({ kind }) => kind === "call")).toHaveLength(2);
});

test("agents that name each other or themselves as their parent end the search for one", () => {
  const agent = (own: string, parent: string) => ({
    ...spans[3],
    context: { trace_id: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", span_id: own },
    parent_id: parent,
  });
  expect(types(lines([agent("0xc1", "0xc1")]))).toEqual(["user"]);
  expect(types(lines([agent("0xc1", "0xc2"), agent("0xc2", "0xc1"), ...spans]))).toEqual(
    expect.arrayContaining(CONVERSATION),
  );
});
