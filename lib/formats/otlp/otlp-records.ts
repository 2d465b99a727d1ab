// The records of an OTLP/JSON request: spans, log records and data points of metrics, each with its resource, and each as a
// request of its own that says the same.
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { anyValue, attributesOf, idOf, numberOf, textOf, timeOf, type Attributes } from "./otlp-values.ts";

export type OtlpKind = "span" | "log" | "metric";

export type OtlpRecord = {
  readonly kind: OtlpKind;
  /** `service.name` of its resource; "" when it has none. */
  readonly service: string;
  readonly serviceVersion: string | null;
  /** Name of a span or metric; of a log record its event's. */
  readonly name: string;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  /** Milliseconds since 1970. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly attributes: Attributes;
  /** Message of a span that failed; null for one that did not. */
  readonly failure: string | null;
  /** Events of a span. */
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** Body of a log record, value of a data point. */
  readonly body: unknown;
  /** True for a sum whose points are what was added since the last one. */
  readonly isDelta: boolean;
  /** A point of a histogram or summary: it tells of no single session's tokens. */
  readonly isDistribution?: true;
  /** An OTLP/JSON request with this record alone; `slim` leaves out what a span says beside its position in the trace. */
  line(slim?: boolean): string;
};

const SIGNALS = [
  ["resourceSpans", "scopeSpans", "spans"],
  ["resourceLogs", "scopeLogs", "logRecords"],
  ["resourceMetrics", "scopeMetrics", "metrics"],
] as const;

/** True for what begins an OTLP/JSON request. */
export const isOtlp = (value: unknown): value is Json =>
  isObject(value) && SIGNALS.some(([name]) => Array.isArray(value[name]));

/** Each record of a request. What is no object is left out; a data point is a record. */
export function* recordsOf(request: Json): Generator<OtlpRecord> {
  for (const [resources, scopes, items] of SIGNALS)
    for (const one of asArray(request[resources])) {
      const { resource } = asObject(one);
      const about = attributesOf(asObject(resource)["attributes"]);
      // Its JSON is made once, and only where it is asked for.
      const head = once(() => `{"${resources}":[{"resource":${jsonText(asObject(resource))},"${scopes}":[{"scope":`);
      for (const group of asArray(asObject(one)[scopes])) {
        const { scope } = asObject(group);
        const before = once(() => `${head()}${jsonText(asObject(scope))},"${items}":[`);
        for (const item of asArray(asObject(group)[items]))
          if (isObject(item)) yield* itemRecords(items, item, about, (text) => `${before()}${text}]}]}]}`);
      }
    }
}

type Framed = (text: string) => string;

function itemRecords(kind: (typeof SIGNALS)[number][2], item: Json, about: Attributes, framed: Framed): OtlpRecord[] {
  const service = textOf(about, "service.name") ?? "";
  const serviceVersion = textOf(about, "service.version");
  if (kind === "metrics") return pointRecords(item, { service, serviceVersion }, framed);
  const attributes = attributesOf(item["attributes"]);
  const common = { service, serviceVersion, attributes, isDelta: false };
  const ids = { traceId: idOf(item["traceId"], 16), spanId: idOf(item["spanId"], 8) };
  if (kind === "logRecords") {
    const at = timeOf(item["timeUnixNano"]) ?? timeOf(item["observedTimeUnixNano"]);
    const name = textOf(attributes, "event.name") ?? asText(item["eventName"]) ?? "";
    const body = anyValue(item["body"]);
    const line = (): string => framed(jsonText(item));
    return [
      {
        ...common,
        ...ids,
        kind: "log",
        name,
        parentSpanId: null,
        startMs: at,
        endMs: at,
        failure: null,
        events: [],
        body,
        line,
      },
    ];
  }
  const { code, message } = asObject(item["status"]);
  const hasFailed = code === 2 || code === "STATUS_CODE_ERROR";
  return [
    {
      ...common,
      ...ids,
      kind: "span",
      name: asText(item["name"]) ?? "",
      parentSpanId: idOf(item["parentSpanId"], 8),
      startMs: timeOf(item["startTimeUnixNano"]),
      endMs: timeOf(item["endTimeUnixNano"]),
      failure: hasFailed ? (asText(message) ?? "") : null,
      events: asArray(item["events"]).map((one) => {
        const event = asObject(one);
        return { name: asText(event["name"]) ?? "", attributes: attributesOf(event["attributes"]) };
      }),
      body: null,
      line: (slim) => framed(jsonText(slim === true ? position(item) : item)),
    },
  ];
}

const POSITION = ["traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"];

const position = (span: Json): Json => Object.fromEntries(POSITION.map((name) => [name, span[name]]));

const METRIC_KINDS = ["sum", "gauge", "histogram", "exponentialHistogram", "summary"] as const;

/** Points of sums and gauges, with their values; those of other kinds are counted, and dropped. */
function pointRecords(
  metric: Json,
  service: Pick<OtlpRecord, "service" | "serviceVersion">,
  framed: Framed,
): OtlpRecord[] {
  const kind = METRIC_KINDS.find((one) => isObject(metric[one])) ?? "gauge";
  const hasValue = kind === "sum" || kind === "gauge";
  const data = asObject(metric[kind]);
  const temporality = data["aggregationTemporality"];
  const isDelta = temporality === 1 || temporality === "AGGREGATION_TEMPORALITY_DELTA";
  return asArray(data["dataPoints"])
    .filter(isObject)
    .map((point): OtlpRecord => ({
      ...service,
      kind: "metric",
      name: asText(metric["name"]) ?? "",
      traceId: null,
      spanId: null,
      parentSpanId: null,
      startMs: timeOf(point["startTimeUnixNano"]),
      endMs: timeOf(point["timeUnixNano"]),
      attributes: attributesOf(point["attributes"]),
      failure: null,
      events: [],
      body: hasValue ? numberOf(point["asDouble"] ?? point["asInt"]) : null,
      isDelta,
      ...(!hasValue && { isDistribution: true }),
      line: () => framed(jsonText({ ...metric, [kind]: { ...data, dataPoints: [point] } })),
    }));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
