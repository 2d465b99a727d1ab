// A raw trace as a line, and back. Keys in the order in which its own code writes them; keys that we do not know go along.
import type { RawTrace, TraceMedia } from "#lib/kernel/memory/memory-types.ts";
import { sha256 } from "./files.ts";
import { asNumber, asText, asTexts, valueText } from "./json-value.ts";
import { isObject, type JsonObject, type LineRange } from "./trace-lines.ts";

export type Generation = 1 | 2;

/** A raw trace, and where it stands. */
export type LocatedTrace = RawTrace & { readonly at: LineRange };

const KNOWN = new Set([
  ...["id", "ts", "turn_id", "seq", "trace_type", "content", "source_event", "media", "tool_name", "tool_call_id"],
  ...["tool_args", "tool_result", "tool_error", "correlation_id", "tags", "tool_result_ref"],
]);

/** True for what can be a raw trace: its type says what it is; anything else may be missing. */
export const isTraceRecord = (value: JsonObject): boolean => typeof value["trace_type"] === "string";

/**
 * Reads what is there; what is missing has the value of nothing. One without an id is named by what it says, or all of
 * them would be one.
 */
export function traceOf(value: JsonObject): RawTrace {
  const unknown = Object.fromEntries(Object.entries(value).filter(([key]) => !KNOWN.has(key)));
  const tags = asTexts(value["tags"]);
  return {
    id: some(asText(value["id"])) ?? `line_${sha256(valueText(value)).slice(0, 16)}`,
    ts: asNumber(value["ts"]) ?? 0,
    turnId: asText(value["turn_id"]),
    seq: asNumber(value["seq"]) ?? 0,
    traceType: asText(value["trace_type"]) ?? "",
    content: textOf(value["content"]),
    sourceEvent: asText(value["source_event"]) ?? "",
    ...(isObject(value["media"]) && { media: mediaOf(value["media"]) }),
    ...(asText(value["tool_name"]) !== null && { toolName: asText(value["tool_name"]) }),
    ...(asText(value["tool_call_id"]) !== null && { toolCallId: asText(value["tool_call_id"]) }),
    ...(isThere(value["tool_args"]) && { toolArgs: value["tool_args"] }),
    ...(isThere(value["tool_result"]) && { toolResult: value["tool_result"] }),
    ...(isThere(value["tool_error"]) && { toolError: textOf(value["tool_error"]) }),
    ...(asText(value["correlation_id"]) !== null && { correlationId: asText(value["correlation_id"]) }),
    ...(tags !== undefined && { tags }),
    ...(asText(value["tool_result_ref"]) !== null && { toolResultRef: asText(value["tool_result_ref"]) }),
    ...(Object.keys(unknown).length > 0 && { unknown }),
  };
}

/**
 * The line of a trace, with its newline. The second generation has no tags and no reference; while the generation is not
 * known neither is written, so that a line is lawful in both.
 */
export function traceLine(trace: RawTrace, generation: Generation | null): string {
  const record = {
    id: trace.id,
    ts: trace.ts,
    turn_id: trace.turnId,
    seq: trace.seq,
    trace_type: trace.traceType,
    content: trace.content,
    source_event: trace.sourceEvent,
    media: isThere(trace.media) ? mediaRecord(trace.media) : undefined,
    tool_name: some(trace.toolName),
    tool_call_id: some(trace.toolCallId),
    tool_args: trace.toolArgs ?? undefined,
    tool_result: trace.toolResult ?? undefined,
    tool_error: some(trace.toolError),
    correlation_id: some(trace.correlationId),
    ...(generation === 1 && {
      tags: trace.tags !== undefined && trace.tags.length > 0 ? trace.tags : undefined,
      tool_result_ref: some(trace.toolResultRef),
    }),
    ...trace.unknown,
  };
  return `${valueText(record)}\n`;
}

const isThere = <T>(value: T): value is NonNullable<T> => value !== null && value !== undefined;
const some = (text: string | null | undefined): string | undefined => (text === "" ? undefined : (text ?? undefined));

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : valueText(value);

const mediaOf = (media: JsonObject): TraceMedia => ({
  images: asTexts(media["images"]) ?? [],
  audio: asTexts(media["audio"]) ?? [],
  video: asTexts(media["video"]) ?? [],
});

const mediaRecord = (media: TraceMedia) => ({
  images: media.images ?? [],
  audio: media.audio ?? [],
  video: media.video ?? [],
});
