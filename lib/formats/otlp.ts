// Telemetry that was received over OpenTelemetry, and files of it: OTLP/JSON, a request a line or one document. Spans end child
// first and come in any order, so a file is read whole each time: the same records give the same session. docs/telemetry.md says
// what is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { firstLineValue, headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { agentDrafts, agentEvent } from "./otlp/agent-drafts.ts";
import { REPORTED_BY_TELEMETRY } from "./otlp/drafts.ts";
import { hasSession, readOtlp, requestIn, type PlacedRecord } from "./otlp/otlp-lines.ts";
import { isOtlp, recordsOf } from "./otlp/otlp-records.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";
import { isTraceDatabase, traceDatabase, traceDatabases } from "./otlp/trace-databases.ts";
import { ownerOf, type Owner } from "./otlp/telemetry-owner.ts";

/** The session that stands first in the file. */
export type OtlpState = { id: string | null; format: Owner["format"] };

export const otlp: Format<OtlpState> = {
  id: "otlp",
  label: "OpenTelemetry",
  signs: "resourceSpans, resourceLogs or resourceMetrics; a database of spans",
  // 3: other keys may come first. 4: the session's model. 5: OpenAI's tier is part of a call's model.
  // 6: what Antigravity notes of each request. 7: OpenAI's ultrafast tier is part of a call's model; what VS Code's extension reports is of
  // its chat. 8: reasoning of Microsoft's frameworks. 9: results whose block says that they are errors.
  version: 9,
  reader: "document",
  secondHand: "telemetry",
  database: traceDatabase,
  sources: traceDatabases,
  wants: (path) => /\.otlp\.jsonl?$/.test(path) || isTraceDatabase(path),
  detect: ({ head }) => isOtlp(requestIn(headValue(head))),
  start: firstOwner,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: (state) => state.id,
  isNamed: (state) => state.id !== null,
  owner: (state) => state.format,
};

/** A first line that is in the head and names its session. */
function firstOwner({ head }: SourceFile): OtlpState {
  const value = requestIn(firstLineValue(head));
  const owners = isOtlp(value) ? recordsOf(value).map(ownerOf) : [];
  const owner = owners.find((one) => one !== null);
  // A line that is longer than the head, or broken: the whole file says it.
  return owner?.isNamed === true ? { id: owner.id, format: owner.format } : { id: null, format: "otlp" };
}

/** A session at a time. */
function* pieces(record: SourceRecord, state: OtlpState): Generator<readonly Draft[]> {
  const { records, problems } = readOtlp(record);
  const sessions = Map.groupBy(
    records.filter(({ owner }) => owner !== null),
    ({ owner }) => `${owner!.format}:${owner!.id}`,
  );
  const first = state.id === null ? sessions.values().next().value?.[0]?.owner : undefined;
  if (first != null) Object.assign(state, { id: first.id, format: first.format });
  yield problems.map((problem): Draft => ({ kind: "problem", ...problem }));
  const shown = [...sessions].filter(([, own]) => hasSession(own));
  for (const [name, own] of shown) yield sessionDrafts(own, name === `${state.format}:${state.id}` ? "" : name);
  if (problems.length + shown.length > 0) return;
  const { line, byteStart, byteEnd } = record;
  yield [{ kind: "problem", line, byteStart, byteEnd, reason: "No span or event of a model, a tool or an agent." }];
}

function sessionDrafts(records: readonly PlacedRecord[], lane: string): Draft[] {
  const { service, serviceVersion } = records.find((one) => one.service !== "") ?? records[0]!;
  const hasEvents = records.some((record) => agentEvent(record) !== null);
  return [
    {
      kind: "session",
      lane,
      patch: {
        quality: REPORTED_BY_TELEMETRY,
        ...(service !== "" && { agentName: service }),
        ...(serviceVersion !== null && { agentVersion: serviceVersion }),
        ...(lane !== "" && { relation: "root" }),
      },
    },
    ...(hasEvents ? agentDrafts(records, lane) : spanDrafts(records, lane)),
  ];
}
