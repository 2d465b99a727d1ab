// What other tools keep of a run, as the spans that lib/formats/otlp makes a session of: one reading for all of them.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";

type Given = Pick<PlacedRecord, "name" | "traceId" | "spanId" | "parentSpanId" | "startMs" | "endMs" | "failure"> & {
  readonly attributes: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;
};

export function foreignSpan(
  given: Given,
  { byteStart, byteEnd }: Pick<SourceRecord, "byteStart" | "byteEnd">,
): PlacedRecord {
  const { attributes, ...rest } = given;
  const known =
    attributes instanceof Map
      ? (attributes as ReadonlyMap<string, unknown>)
      : new Map(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined));
  return {
    ...rest,
    kind: "span",
    service: "",
    serviceVersion: null,
    attributes: known,
    events: [],
    body: null,
    isDelta: false,
    line: () => jsonText({ ...rest, ...Object.fromEntries(known) }),
    byteStart,
    byteEnd,
    owner: null,
  };
}

/** Parents before children of the same moment; what has no time comes last. */
export const inTime = (spans: readonly PlacedRecord[]): PlacedRecord[] =>
  spans.toSorted(
    (a, b) =>
      (a.startMs ?? Number.MAX_SAFE_INTEGER) - (b.startMs ?? Number.MAX_SAFE_INTEGER) ||
      (b.endMs ?? 0) - (a.endMs ?? 0),
  );
