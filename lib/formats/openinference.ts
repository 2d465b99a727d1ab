// Spans as objects of their own, as Phoenix exports them and as SDKs of OpenTelemetry print them: with attributes of OpenInference or GenAI.
// What exporters send stands in OTLP files, which have a format of theirs. docs/formats/openinference.md says what is read.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { asArray, isObject, type Json } from "./json.ts";
import { headValue } from "./json-parts.ts";
import { isFlatSpan, readFlatSpans, sessionOf, type FlatSpan } from "./openinference/flat-spans.ts";
import { spanCosts } from "./openinference/span-costs.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";
import { inTime } from "./traces/foreign-span.ts";

export type OpenInferenceState = { id: string | null };

export const openInference: Format<OpenInferenceState> = {
  id: "openinference",
  label: "OpenInference",
  signs: "spans with context, span_id and attributes",
  version: 1,
  reader: "document",
  sources: () => [],
  wants: () => false,
  detect: ({ head }: SourceFile) => firstSpan(headValue(head)) !== null,
  start: ({ head }) => {
    const first = firstSpan(headValue(head));
    return { id: first === null ? null : sessionOf(first) };
  },
  parse,
  identify: ({ id }) => id,
};

/** The first span of a file: alone, or in a list, which an answer of the interface names. */
function firstSpan(value: unknown): Json | null {
  const list = isObject(value) ? (value["data"] ?? value["spans"]) : value;
  const first = Array.isArray(list) ? asArray(list)[0] : value;
  return isObject(first) && isFlatSpan(first) ? first : null;
}

function parse(record: SourceRecord, state: OpenInferenceState): Draft[] {
  const { spans, problems } = readFlatSpans(record);
  state.id ??= spans[0]?.session ?? null;
  const sessions = Map.groupBy(spans, ({ session }) => session ?? "");
  const drafts = [...sessions].flatMap(([id, own]) => sessionDrafts(own, id === (state.id ?? "") ? "" : id));
  if (!drafts.some(({ kind }) => kind === "event")) {
    const { byteStart, byteEnd, line } = record;
    return [{ kind: "problem", line, byteStart, byteEnd, reason: "No span of a model, a tool or an agent." }];
  }
  return [...drafts, ...problems.map((problem): Draft => ({ kind: "problem", ...problem }))];
}

function sessionDrafts(spans: readonly FlatSpan[], lane: string): Draft[] {
  const drafts = spanDrafts(inTime(spans.map(({ span }) => span)), lane);
  if (!drafts.some(({ kind }) => kind === "event")) return [];
  return [
    {
      kind: "session",
      lane,
      patch: {
        quality: "Exported spans: what they did not carry is not here.",
        ...(lane !== "" && { relation: "root" as const }),
      },
    },
    ...drafts,
    ...spanCosts(
      spans.map(({ span }) => span),
      lane,
    ),
  ];
}
