// A trace that was exported from Langfuse: one document with its observations, in any order. docs/formats/langfuse.md says what is read.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { headKeys } from "./head-shape.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "./json.ts";
import { headValue } from "./json-parts.ts";
import { observationSpans, reportedBy } from "./traces/langfuse-observations.ts";
import { inTime, inputMessages, outputMessages } from "./traces/foreign-span.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";

export type LangfuseState = { id: string | null };

export const langfuse: Format<LangfuseState> = {
  id: "langfuse",
  label: "Langfuse",
  signs: "a document with trace and observations, or a trace with observations",
  // 3: counts that stand as texts of digits.
  // 4: costs that stand as texts. 5: observations before their trace.
  version: 5,
  reader: "document",
  sources: () => [],
  wants: (path) => /\.trace\.json$/.test(path),
  detect,
  start: () => ({ id: null }),
  parse,
  identify: ({ id }) => id,
};

const OBSERVED = /"(?:parentObservationId|observations|traceId)"\s*:/;

function detect({ head }: SourceFile): boolean {
  const keys = headKeys(head);
  if (keys.includes("trace") && !keys.includes("resourceSpans"))
    return OBSERVED.test(new TextDecoder().decode(head)) || keys.includes("observations");
  // The answer of the API: a trace with its observations inside.
  if (!keys.includes("observations")) return false;
  if (keys.includes("projectId") || keys.includes("timestamp")) return true;
  // Keys in another order: what says so may stand behind the observations, and behind the head.
  const [first] = asArray(asObject(headValue(head))["observations"]);
  return isObject(first) && OBSERVATION.every((key) => key in first);
}

const OBSERVATION = ["traceId", "startTime", "type"];

function parse({ bytes, byteStart, byteEnd, line }: SourceRecord, state: LangfuseState): Draft[] {
  const problem = (reason: string): Draft => ({ kind: "problem", line, byteStart, byteEnd, reason });
  const document = parsed(bytes);
  if (document === null) return [problem("The document is not JSON. It may be cut off.")];
  const trace = isObject(document["trace"]) ? document["trace"] : document;
  const listed = [document["observations"], trace["observations"]].find((one) => asArray(one).length > 0);
  const observations = asArray(listed).map(asObject);
  state.id ??= asText(trace["id"]) ?? asText(observations[0]?.["traceId"]);
  const range = { byteStart, byteEnd };
  const own = spanDrafts(inTime(observationSpans(observations, range)), "");
  const said = own.some(({ kind }) => kind === "event") ? own : spanDrafts([wholeTrace(trace, range)], "");
  if (!said.some(({ kind }) => kind === "event"))
    return [problem("The trace has no messages of a model, a tool or an agent.")];
  const startedAt = asTime(trace["timestamp"]);
  const name = asText(trace["name"]);
  const user = asText(trace["sessionId"]);
  return [
    {
      kind: "session",
      lane: "",
      patch: {
        quality: "Exported from Langfuse: what its observations did not carry is not here.",
        ...(name !== null && name !== "" && { agentName: clip(name, 200) }),
        ...(startedAt !== null && { startedAt }),
        ...(user !== null && { quality: `Langfuse session ${clip(user, 100)}.` }),
      },
    },
    ...said,
    ...reportedBy(observations),
  ];
}

/** A trace without observations of models says what went in and came out. */
const wholeTrace = (trace: Json, range: Pick<SourceRecord, "byteStart" | "byteEnd">) => ({
  ...observationSpans([{ ...trace, type: "AGENT", startTime: trace["timestamp"] }], range)[0]!,
  attributes: new Map<string, unknown>([
    ["gen_ai.operation.name", "invoke_agent"],
    ["gen_ai.input.messages", inputMessages(trace["input"])],
    ["gen_ai.output.messages", outputMessages(trace["output"])],
  ]),
});

function parsed(bytes: Uint8Array): Json | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
