// Spans in a file: one after the other, in a list, or in the `data` of an answer; each with the bytes that it stands in.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { asObject, asText, asTime, isObject, type Json } from "../json.ts";
import { elementsOf, firstWord, scanJson, valueAt, type JsonElement } from "../json-parts.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import type { Attributes } from "../otlp/otlp-values.ts";
import { foreignSpan } from "../traces/foreign-span.ts";

export type FlatSpan = { readonly session: string | null; readonly span: PlacedRecord };
type Problem = {
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly reason: string;
};

const LISTS = ["data", "spans"];
const SPAN_KIND = "openinference.span.kind";
const LF = 0x0a;

export const isFlatSpan = (value: Json): boolean =>
  idsOf(value).span !== null &&
  (isObject(value["attributes"]) || Object.keys(value).some((key) => key.startsWith("attributes.")));

export function readFlatSpans({ bytes, byteStart, line }: SourceRecord): {
  readonly spans: readonly FlatSpan[];
  readonly problems: readonly Problem[];
} {
  const spans = new Map<string, FlatSpan>();
  const problems: Problem[] = [];
  const report = (from: number, to: number, reason: string): void =>
    void problems.push({ line, byteStart: byteStart + from, byteEnd: byteStart + to, reason });
  for (let at = firstWord(bytes, 0); at < bytes.length; at = firstWord(bytes, at)) {
    const { root, header, lists, end, isWhole } = scanJson(bytes, LISTS, at);
    const elements: JsonElement[] = [...lists.values()].flatMap((ranges) => elementsOf(bytes, ranges));
    const whole = { from: at, to: end };
    // A span of a line of its own.
    if (root === "object" && isWhole && elements.length === 0)
      elements.push({ range: whole, value: header ?? valueAt(bytes, whole) });
    for (const { value, range } of elements) {
      if (!isObject(value) || !isFlatSpan(value)) {
        report(range.from, range.to, "Not a span.");
        continue;
      }
      const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
      const { trace, span } = idsOf(value);
      // A span that was exported twice stands once.
      const attributes = attributesOf(value);
      const session = sessionIn(attributes) ?? trace;
      spans.set(`${trace} ${span}`, { session, span: spanOf(value, attributes, own) });
    }
    if (isWhole) at = end;
    else {
      // What is damaged ends at its line; a list that was cut off has no more.
      const from = Math.max(at, elements.length > 0 ? end : at);
      const next = bytes.indexOf(LF, from);
      const to = next < 0 || elements.length > 0 ? bytes.length : next;
      if (firstWord(bytes, from) < to) report(from, to, "The record ends too early or is damaged.");
      at = Math.max(to, at + 1);
    }
  }
  return { spans: [...spans.values()], problems };
}

/** Ids with their traces, without the 0x that some print before them. */
function idsOf(value: Json): { readonly trace: string | null; readonly span: string | null } {
  const context = asObject(value["context"]);
  const of = (name: string): string | null =>
    asText(context[name] ?? value[`context.${name}`])?.replace(/^0x/, "") ?? null;
  return { trace: of("trace_id"), span: of("span_id") };
}

/** The conversation that a span names, else its trace. */
export const sessionOf = (value: Json): string | null => sessionIn(attributesOf(value)) ?? idsOf(value).trace;

function sessionIn(attributes: Attributes): string | null {
  for (const name of ["session.id", "gen_ai.conversation.id", "conversation.id", "thread.id"]) {
    const id = asText(attributes.get(name));
    if (id !== null && id !== "") return id;
  }
  return null;
}

function spanOf(value: Json, attributes: Attributes, range: Pick<SourceRecord, "byteStart" | "byteEnd">): PlacedRecord {
  const { trace, span } = idsOf(value);
  const status = asObject(value["status"]);
  const code = asText(value["status_code"]) ?? asText(status["status_code"]) ?? "";
  const kind = asText(value["span_kind"]);
  return foreignSpan(
    {
      name: asText(value["name"]) ?? "",
      traceId: trace,
      spanId: span,
      parentSpanId: asText(value["parent_id"])?.replace(/^0x/, "") ?? null,
      startMs: asTime(value["start_time"]),
      endMs: asTime(value["end_time"]),
      failure: /ERROR$/.test(code) ? (asText(value["status_message"]) ?? asText(status["description"]) ?? "") : null,
      attributes: kind === null || attributes.has(SPAN_KIND) ? attributes : new Map([[SPAN_KIND, kind], ...attributes]),
    },
    range,
  );
}

/** Levels and values of nested attributes that are read. */
const [LEVELS, VALUES] = [16, 20_000];

/** Attributes by their dotted names, however they were nested. */
function attributesOf(value: Json): Attributes {
  const found = new Map<string, unknown>();
  let count = 0;
  const add = (name: string, given: unknown, level: number): void => {
    if (given === null || given === undefined || count >= VALUES) return;
    if (level < LEVELS && typeof given === "object") {
      for (const key of Object.keys(given)) add(name === "" ? key : `${name}.${key}`, (given as Json)[key], level + 1);
      return;
    }
    count++;
    found.set(name, given);
  };
  add("", asObject(value["attributes"]), 0);
  for (const [key, one] of Object.entries(value))
    if (key.startsWith("attributes.")) add(key.slice("attributes.".length), one, 0);
  return found;
}
