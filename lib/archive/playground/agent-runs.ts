// The agents' own artifact_jq and artifact_grep: from the record of readings (sessions that Plimsoll holds: who asked through
// a door or a tool), and from the tool calls of imported logs, whatever prefix a host gave the tool's name.
import { columns, query, select, type Columns } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { jqOptions, type PastRun } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { tryResolve } from "../artifacts/resolve.ts";
import { eventRowId } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";

/** Of each of the two kinds so many are looked at, newest first. */
const LOOKED_AT = 1000;
/** What is longer was cut when it was noted (note-read.ts), and cannot be run again. */
const CUT = "…";

/** What a log tells is not told again by the note that the tool made of it: each call takes one note of its session away. */
export function agentRuns(archive: Archive): PastRun[] {
  const logged = loggedRuns(archive);
  const result = new Map<string, number>();
  for (const run of logged) result.set(keyOf(run), (result.get(keyOf(run)) ?? 0) + 1);
  const noted = notedRuns(archive).filter((run) => {
    const left = result.get(keyOf(run)) ?? 0;
    if (left > 0) result.set(keyOf(run), left - 1);
    return left === 0;
  });
  return [...noted, ...logged];
}

// Not by its artifact: the id that a call names leads to the newest of equal bytes, the note to the one that was read.
const keyOf = ({ sessionId, kind, program }: PastRun): string => JSON.stringify([sessionId, kind, program]);

const NOTE_ROW_COLUMNS = {
  ...columns("artifact_reads", "pk", "pointer", "at", "tool", "request", "is_error"),
  session: "sessions.id?",
} as const satisfies Columns;

/** A person's readings carry the id of a browser, or say so. */
function notedRuns(archive: Archive): PastRun[] {
  const rows = query(
    archive.sqlite,
    NOTE_ROW_COLUMNS,
    `SELECT r.pk, r.pointer, r.at, r.tool, r.request, r.is_error,
       (SELECT s.id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pointer = r.pointer) AS session
     FROM artifact_reads r
     WHERE r.tool IN ('jq', 'grep', 'artifact_jq', 'artifact_grep')
       AND r.who NOT LIKE 'browser:%' AND r.who NOT IN ('person', 'command line', 'command-line')
     ORDER BY r.pk DESC LIMIT ${LOOKED_AT}`,
  ).all();
  return rows.flatMap((row) => {
    const request = programIn(row.tool.endsWith("jq") ? "jq" : "grep", JSON.parse(row.request));
    if (request === null || textsOf(request).some((text) => text.endsWith(CUT))) return [];
    const run: PastRun = {
      ...request,
      id: `read_${row.pk}`,
      who: "agent",
      artifacts: [row.pointer],
      pasted: 0,
      results: null,
      ms: null,
      failure: row.is_error === 1 ? "runtime" : null,
      at: iso(row.at),
      sessionId: row.session,
      seq: null,
    };
    return [run];
  });
}

const CALL_ROW_COLUMNS = {
  ...columns("tool_interactions", "session_pk", "tool_name", "status", "started_at", "duration_ms"),
  session: "sessions.id",
  call_seq: "tool_interactions.call_seq!",
} as const satisfies Columns;

function loggedRuns(archive: Archive): PastRun[] {
  const rows = query(
    archive.sqlite,
    CALL_ROW_COLUMNS,
    `SELECT i.session_pk, s.id AS session, i.tool_name, i.call_seq, i.status, i.started_at, i.duration_ms
     FROM tool_interactions i JOIN sessions s ON s.pk = i.session_pk
     WHERE (instr(i.tool_name, 'artifact_jq') > 0 OR instr(i.tool_name, 'artifact_grep') > 0) AND i.call_seq IS NOT NULL
     ORDER BY i.started_at DESC LIMIT ${LOOKED_AT}`,
  ).all();
  const body = select(archive.sqlite, "events", ["body"], "WHERE id = ?");
  return rows.flatMap((row) => {
    const kind = /(?:^|[^A-Za-z])artifact_(jq|grep)$/.exec(row.tool_name)?.[1] as "jq" | "grep" | undefined;
    const event = body.get(eventRowId(row.session_pk, row.call_seq));
    if (kind === undefined || event === undefined) return [];
    const input = inputOf(JSON.parse(event.body) as EventBody);
    const request = programIn(kind, input);
    if (request === null) return [];
    const run: PastRun = {
      ...request,
      id: `call_${row.session}_${row.call_seq}`,
      who: "agent",
      artifacts: artifactsIn(archive, row.session_pk, input),
      pasted: 0,
      results: null,
      ms: row.duration_ms,
      failure: row.status === "error" ? "runtime" : null,
      at: iso(row.started_at),
      sessionId: row.session,
      seq: row.call_seq,
    };
    return [run];
  });
}

/** What a call asked: some logs have it as a text. */
function inputOf(body: EventBody): unknown {
  if (body.type === "tool_call" && typeof body.input === "object") return body.input;
  try {
    return JSON.parse(eventText(body));
  } catch {
    return null;
  }
}

type ProgramRequest = Pick<PastRun, "kind" | "program" | "options">;

const textIn = (input: Record<string, unknown>, ...names: string[]): string | null => {
  const found = names.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  return (found as string | undefined) ?? null;
};

/** Program and options under the names of our tools and doors; null when there is none. */
function programIn(kind: "jq" | "grep", input: unknown): ProgramRequest | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = input as Record<string, unknown>;
  if (kind === "grep") {
    const program = textIn(fields, "pattern", "regex", "query");
    const words = fields["grep_options"] ?? fields["options"];
    const options = typeof words === "string" ? words.split(/\s+/).filter(Boolean) : Array.isArray(words) ? words : [];
    return program === null ? null : { kind, program, options: options.map(String) };
  }
  const program = textIn(fields, "expression", "program", "filter", "query");
  const isOn = (...names: string[]): boolean => names.some((name) => fields[name] === true);
  const options = jqOptions.safeParse({
    raw: isOn("raw_output", "raw", "rawOutput"),
    slurp: isOn("slurp"),
    nullInput: isOn("null_input", "nullInput"),
    // One result a line, as the tools answer.
    compact: true,
    sortKeys: isOn("sort_keys", "sortKeys"),
    args: fields["args"] ?? {},
    jsonArgs: fields["json_args"] ?? fields["jsonArgs"] ?? {},
  });
  return program === null || !options.success ? null : { kind, program, options: options.data };
}

const textsOf = ({ program, options }: ProgramRequest): string[] => {
  const more = Array.isArray(options) ? options : [options.args, options.jsonArgs].flatMap(Object.values<string>);
  return [program, ...more];
};

/** The artifact that it names, as its own session knows it; nothing when that was never imported. */
function artifactsIn(archive: Archive, sessionPk: number, input: unknown): string[] {
  const ref = textIn(input as Record<string, unknown>, "artifact_id", "artifact", "pointer", "id", "name", "path");
  if (ref === null || ref.length > 400) return [];
  const row = tryResolve(archive, ref, { sessionPk });
  return row === null ? [] : [row.pointer];
}
