// Our own session files: a header line, then one record a line. What an archive exports, an empty archive imports, and
// exports again byte for byte. docs/formats/plimsoll.md tells another program how to write one.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, Format, SessionPatch, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { readValues } from "./json-lines.ts";
import { asText, asTime, clip, isObject } from "./json.ts";
import { headerRecord, record, type HeaderRecord, type PlimsollRecord } from "./plimsoll/plimsoll-records.ts";
import { firstLineValue } from "./json-parts.ts";

export type PlimsollState = { readonly id: string | null };

export const plimsoll: Format<PlimsollState> = {
  id: "plimsoll",
  label: "Plimsoll",
  signs: "a first line with plimsoll and id",
  // 2: one-hour cache writes and web searches. 3: images weigh what the provider's rule says; least load of a compaction.
  // 4: a call's label says what it was asked, whatever its tool.
  // 5: when a session began whose earlier records are copies.
  version: 5,
  saysTurns: true,
  reader: "lines",
  sources: () => [],
  // Its own ending only: a folder of another agent holds .jsonl files that are no sessions. A file that is named is read
  // whatever it is called.
  wants: (path) => path.endsWith(".plimsoll.jsonl"),
  detect: (file) => firstValue(file) !== null,
  start: (file) => ({ id: asText(firstValue(file)?.["id"]) }),
  parse,
  identify: (state) => state.id,
};

/** The header, when the file begins with one. Any version: a newer one is ours too, and is told as a problem. */
function firstValue({ head }: SourceFile): Record<string, unknown> | null {
  const value = firstLineValue(head);
  return isObject(value) && typeof value["plimsoll"] === "number" && asText(value["id"]) !== null ? value : null;
}

const isRecord = (value: unknown): boolean => isObject(value) && (Object.hasOwn(value, "record") || isHeader(value));
const isHeader = (value: Record<string, unknown>): boolean => Object.hasOwn(value, "plimsoll");

function parse(source: SourceRecord): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isRecord);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  const isAlone = values.length === 1 && problems.length === 0;
  for (const { value, byteStart, byteEnd } of values)
    for (const draft of valueDrafts(value, { line: source.line, byteStart, byteEnd }))
      drafts.push(draft.kind === "event" && !isAlone ? { ...draft, byteStart, byteEnd } : draft);
  return drafts;
}

type LineRange = { readonly line: number; readonly byteStart: number; readonly byteEnd: number };

function valueDrafts(value: unknown, range: LineRange): Draft[] {
  if (isObject(value) && isHeader(value)) {
    const read = headerRecord.safeParse(value);
    return read.success ? headerDrafts(read.data) : refused(value, range, read.error.issues);
  }
  const read = record.safeParse(value);
  return read.success ? recordDrafts(read.data) : refused(value, range, read.error.issues);
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };

/** A record that is not as the format says: it is listed, and stands in the log as it is. */
function refused(value: unknown, range: LineRange, issues: readonly Issue[]): Draft[] {
  const issue = issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "The record" : issue.path.map(String).join(".");
  const reason = clip(`Not a record of this format: ${where}: ${issue?.message ?? "is not understood"}`, 300);
  const body = { type: "unknown", reason, text: clip(jsonText(value), 4096) } as const;
  return [
    { kind: "problem", ...range, reason },
    { kind: "event", lane: "", ts: null, body, recordKey: null, callKey: null, startsTurn: false },
  ];
}

function headerDrafts(header: HeaderRecord): Draft[] {
  const { plimsoll: _version, id: _id, agent, startedAt, begunAt, endedAt, quality = [], marks, ...rest } = header;
  const [started, begun] = [asTime(startedAt), asTime(begunAt)];
  const patch: SessionPatch = {
    ...rest,
    ...(marks !== undefined && { marks }),
    ...(begun !== null && { begunAt: begun }),
    ...(agent !== undefined && { agentName: agent }),
  };
  // The archive widens a session's span by each time that it is told, later ones too.
  const times = [started, asTime(endedAt)].filter((time) => time !== null);
  return [
    { kind: "session", lane: "", patch },
    ...times.map((time): Draft => ({ kind: "session", lane: "", patch: { startedAt: time } })),
    ...quality.map((note): Draft => ({ kind: "session", lane: "", patch: { quality: note } })),
  ];
}

/** What one record of the format says. */
export function recordDrafts(read: PlimsollRecord): Draft[] {
  switch (read.record) {
    case "event":
      return [
        {
          kind: "event",
          lane: "",
          ts: asTime(read.ts),
          body: read.body,
          recordKey: read.uuid ?? null,
          callKey: read.call ?? null,
          startsTurn: read.startsTurn === true,
          ...(read.attachments && { attachments: read.attachments }),
          ...(read.full !== undefined && { fullText: read.full }),
          ...(read.synthetic === true && { synthetic: true }),
        },
      ];
    case "call": {
      const { origin = "reported", ...usage } = read.usage ?? {};
      return [
        {
          kind: "call",
          lane: "",
          key: read.key,
          ts: asTime(read.ts),
          model: read.model ?? null,
          usage: read.usage === undefined ? null : (usage as Omit<typeof read.usage, "origin">),
          ...(origin === "counted" && { counted: true }),
          outputLowerBound: read.outputLowerBound === true,
          ...(read.window !== undefined && { window: read.window }),
        },
      ];
    }
    case "link":
      return [{ kind: "link", lane: "", toolCallId: read.toolCallId, agentId: read.agentId }];
    case "lost":
      return [{ kind: "lost", lane: "", usage: read.usage }];
    case "reported": {
      const ts = asTime(read.ts);
      return [{ kind: "reported", lane: "", ...(ts !== null && { ts }), usd: read.usd, usage: read.usage }];
    }
  }
}
