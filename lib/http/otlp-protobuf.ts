// Requests of OpenTelemetry exporters in protobuf, as the JSON that the same exporters send otherwise: field numbers of
// opentelemetry-proto 1.x. Every length is held against its message, so a lying one is an error and never a read beyond it.
import { PbfReader, PbfWriter } from "pbf";

type Json = Record<string, unknown>;
type Read = (pbf: PbfReader) => unknown;
/** Name and reader of each field; of a repeated one the name ends in `[]`. */
type Message = Readonly<Record<number, readonly [name: string, read: Read]>>;

/** Messages inside messages: a hostile value may be nested as deep as its bytes allow. */
const LEVELS = 100;
let level = 0;

const message =
  (fields: () => Message): Read =>
  (pbf) => {
    const end = pbf.readVarint() + pbf.pos;
    if (++level > LEVELS) throw new RangeError(`messages nested deeper than ${LEVELS}`);
    const value = readMessage(pbf, fields(), end);
    level--;
    return value;
  };

function readMessage(pbf: PbfReader, fields: Message, end: number): Json {
  if (!(end <= pbf.length)) throw new RangeError("a message is longer than its bytes");
  const value: Json = {};
  while (pbf.pos < end) {
    const tag = pbf.readVarint();
    const field = fields[tag >> 3];
    pbf.type = tag & 7;
    if (field === undefined) pbf.skip(tag);
    else {
      const [name, read] = field;
      if (name.endsWith("[]")) ((value[name.slice(0, -2)] ??= []) as unknown[]).push(read(pbf));
      else value[name] = read(pbf);
    }
  }
  if (pbf.pos !== end) throw new RangeError("a field is longer than its message");
  return value;
}

const text: Read = (pbf) => pbf.readString();
const hex: Read = (pbf) => Buffer.from(pbf.readBytes()).toString("hex");
const base64: Read = (pbf) => Buffer.from(pbf.readBytes()).toString("base64");
const double: Read = (pbf) => pbf.readDouble();
const bool: Read = (pbf) => pbf.readBoolean();
const whole: Read = (pbf) => pbf.readVarint();
const signed: Read = (pbf) => String(pbf.readVarint(true));
/** Nanoseconds do not fit a number exactly: as in JSON they are text. */
const nanos: Read = (pbf) => {
  const at = pbf.pos;
  pbf.pos += 8;
  return pbf.dataView.getBigUint64(at, true).toString();
};
const signedNanos: Read = (pbf) => {
  const at = pbf.pos;
  pbf.pos += 8;
  return pbf.dataView.getBigInt64(at, true).toString();
};

const anyValue: Read = message(() => ANY_VALUE);
const ANY_VALUE: Message = {
  1: ["stringValue", text],
  2: ["boolValue", bool],
  3: ["intValue", signed],
  4: ["doubleValue", double],
  5: ["arrayValue", message(() => ARRAY_VALUE)],
  6: ["kvlistValue", message(() => MAP_VALUE)],
  7: ["bytesValue", base64],
};
const ARRAY_VALUE: Message = { 1: ["values[]", anyValue] };
const KEY_VALUE: Message = { 1: ["key", text], 2: ["value", anyValue] };
const keyValue: Read = message(() => KEY_VALUE);
const MAP_VALUE: Message = { 1: ["values[]", keyValue] };
const attributes = ["attributes[]", keyValue] as const;

const RESOURCE: Message = { 1: attributes };
const SCOPE: Message = { 1: ["name", text], 2: ["version", text], 3: attributes };
const EVENT: Message = { 1: ["timeUnixNano", nanos], 2: ["name", text], 3: attributes };
const LINK: Message = { 1: ["traceId", hex], 2: ["spanId", hex], 4: attributes };
const STATUS: Message = { 2: ["message", text], 3: ["code", whole] };

const SPAN: Message = {
  1: ["traceId", hex],
  2: ["spanId", hex],
  4: ["parentSpanId", hex],
  5: ["name", text],
  6: ["kind", whole],
  7: ["startTimeUnixNano", nanos],
  8: ["endTimeUnixNano", nanos],
  9: attributes,
  11: ["events[]", message(() => EVENT)],
  13: ["links[]", message(() => LINK)],
  15: ["status", message(() => STATUS)],
};

const LOG_RECORD: Message = {
  1: ["timeUnixNano", nanos],
  2: ["severityNumber", whole],
  3: ["severityText", text],
  5: ["body", anyValue],
  6: attributes,
  9: ["traceId", hex],
  10: ["spanId", hex],
  11: ["observedTimeUnixNano", nanos],
  12: ["eventName", text],
};

const POINT: Message = {
  2: ["startTimeUnixNano", nanos],
  3: ["timeUnixNano", nanos],
  4: ["asDouble", double],
  6: ["asInt", signedNanos],
  7: attributes,
};
const points = ["dataPoints[]", message(() => POINT)] as const;
const GAUGE: Message = { 1: points };
const SUM: Message = { 1: points, 2: ["aggregationTemporality", whole], 3: ["isMonotonic", bool] };
const METRIC: Message = {
  1: ["name", text],
  2: ["description", text],
  3: ["unit", text],
  5: ["gauge", message(() => GAUGE)],
  7: ["sum", message(() => SUM)],
};

/** What each of the three addresses receives: resources, each with scopes, each with its records. */
export const SIGNALS = {
  traces: { resources: "resourceSpans", scopes: "scopeSpans", items: "spans", item: SPAN, rejected: "rejectedSpans" },
  logs: {
    resources: "resourceLogs",
    scopes: "scopeLogs",
    items: "logRecords",
    item: LOG_RECORD,
    rejected: "rejectedLogRecords",
  },
  metrics: {
    resources: "resourceMetrics",
    scopes: "scopeMetrics",
    items: "metrics",
    item: METRIC,
    rejected: "rejectedDataPoints",
  },
} as const;
export type Signal = keyof typeof SIGNALS;

/** The request as OTLP/JSON has it. Throws what is wrong with bytes that are none. */
export function decodeRequest(signal: Signal, bytes: Uint8Array): Json {
  const { resources, scopes, items, item } = SIGNALS[signal];
  const scope: Message = { 1: ["scope", message(() => SCOPE)], 2: [`${items}[]`, message(() => item)] };
  const resource: Message = { 1: ["resource", message(() => RESOURCE)], 2: [`${scopes}[]`, message(() => scope)] };
  level = 0;
  return readMessage(new PbfReader(bytes), { 1: [`${resources}[]`, message(() => resource)] }, bytes.length);
}

/** An answer: empty, or what was refused. */
export function encodeAnswer(refused: number, reason: string): Uint8Array {
  const writer = new PbfWriter();
  if (refused > 0 || reason !== "")
    writer.writeMessage(1, (_, to) => (to.writeVarintField(1, refused), to.writeStringField(2, reason)), null);
  return writer.finish();
}

/** `google.rpc.Status`: how a request that failed is answered. */
export function encodeStatus(code: number, reason: string): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarintField(1, code);
  writer.writeStringField(2, reason);
  return writer.finish();
}
