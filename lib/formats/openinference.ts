// Spans as objects of their own, as Phoenix exports them and as SDKs of OpenTelemetry print them: with attributes of OpenInference or GenAI.
// What exporters send stands in OTLP files, which have a format of theirs. docs/formats/openinference.md says what is read.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { asArray, isObject, type Json } from "./json.ts";
import { headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { isFlatSpan, readFlatSpans, sessionOf, type FlatSpan } from "./openinference/flat-spans.ts";
import { spanCosts } from "./openinference/span-costs.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";
import { inTime } from "./traces/foreign-span.ts";

export type OpenInferenceState = { id: string | null };

export const openInference: Format<OpenInferenceState> = {
  id: "openinference",
  label: "OpenInference",
  signs: "spans with context, span_id and attributes",
  // 2: the session's model. 3: results whose block says that they are errors.
  version: 3,
  reader: "document",
  sources: () => [],
  wants: () => false,
  detect: ({ head }: SourceFile) => firstSpan(headValue(head)) !== null,
  start: ({ head }) => {
    const first = firstSpan(headValue(head));
    return { id: first === null ? null : sessionOf(first) };
  },
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

/** The first span of a file: alone, or in a list, which an answer of the interface names. */
function firstSpan(value: unknown): Json | null {
  const list = isObject(value) ? (value["data"] ?? value["spans"]) : value;
  const first = Array.isArray(list) ? asArray(list)[0] : value;
  return isObject(first) && isFlatSpan(first) ? first : null;
}

/** A session at a time. */
function* pieces(record: SourceRecord, state: OpenInferenceState): Generator<readonly Draft[]> {
  const { spans, problems } = readFlatSpans(record);
  state.id ??= spans[0]?.session ?? null;
  const sessions = Map.groupBy(spans, ({ session }) => session ?? "");
  let hasEvents = false;
  for (const [id, own] of sessions) {
    const drafts = sessionDrafts(own, id === (state.id ?? "") ? "" : id);
    hasEvents ||= drafts.length > 0;
    yield drafts;
  }
  if (hasEvents) return yield problems.map((problem): Draft => ({ kind: "problem", ...problem }));
  const { byteStart, byteEnd, line } = record;
  yield [{ kind: "problem", line, byteStart, byteEnd, reason: "No span of a model, a tool or an agent." }];
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
