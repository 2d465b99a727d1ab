// Who read an artifact back: the reads that were recorded, and the later calls of its session that name it.
import { columns, query, select } from "#db/statement.ts";
import { READ_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import type { ArtifactReads } from "#lib/wire/artifact-history-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { weightsOf } from "../load/event-weights.ts";
import { eventRowId, seqOfRow } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";

const ROWS = 100;
const CALLS = 50;
/** Later reads of a session that are looked through for the artifact's names. */
const LOOKED_AT = 2000;
const ASKED_CHARS = 300;
/** `read_file` reads artifacts in one of the designs that we follow; here a call counts when it names this one. */
const TOOLS = [...READ_TOOLS, "read_file"];

export function readsOf(archive: Archive, row: ArtifactDbRow): ArtifactReads {
  const { sqlite } = archive;
  const sum = query(
    sqlite,
    { total: "integer", bytes: "integer", errors: "integer" },
    "SELECT count(*) AS total, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(is_error), 0) AS errors FROM artifact_reads WHERE pointer = ?",
  ).get(row.pointer)!;
  const rows = query(
    sqlite,
    { ...columns("artifact_reads", "at", "who", "tool", "request", "bytes"), isError: "artifact_reads.is_error" },
    `FROM artifact_reads WHERE pointer = ? ORDER BY pk DESC LIMIT ${ROWS}`,
  ).all(row.pointer);
  return {
    ...sum,
    rows: rows.map((read) => ({ ...read, at: iso(read.at) ?? "", isError: read.isError === 1 })),
    calls: callsThatName(archive, row),
  };
}

/** Calls of the reading tools after the output came in, with its id, pointer or name in what they asked. */
function callsThatName(archive: Archive, row: ArtifactDbRow): ArtifactReads["calls"] {
  const { sqlite } = archive;
  const later = query(
    sqlite,
    {
      callSeq: "tool_interactions.call_seq!",
      resultSeq: "tool_interactions.result_seq",
      toolName: "tool_interactions.tool_name",
    },
    `FROM tool_interactions WHERE session_pk = ? AND call_seq > ? AND tool_name IN (${TOOLS.map(() => "?").join(", ")}) ORDER BY call_seq LIMIT ${LOOKED_AT}`,
  ).all(row.session_pk, row.seq ?? 0, ...TOOLS);
  const body = select(sqlite, "events", ["id", "body"], "WHERE id = ?");
  const ids = [row.pointer, `art_${row.digest.slice(0, 16)}`];
  const found: ArtifactReads["calls"] = [];
  for (const { callSeq, resultSeq, toolName } of later) {
    const event = body.get(eventRowId(row.session_pk, callSeq));
    if (event === undefined || !namesIt(event.body, ids, row.name)) continue;
    const weight = resultSeq === null ? null : weightsOf(archive, row.session_pk).of(resultSeq);
    found.push({
      seq: seqOfRow(event.id),
      resultSeq,
      toolName,
      input: inputIn(eventText(JSON.parse(event.body) as EventBody)),
      tokens: weight?.tokens ?? null,
      origin: weight?.origin ?? null,
    });
    if (found.length === CALLS) break;
  }
  return found;
}

/** An id may stand anywhere in what was asked; a name only as a whole string of it. */
const namesIt = (body: string, ids: readonly string[], name: string | null): boolean =>
  ids.some((id) => body.includes(id)) || (name !== null && body.includes(`":${JSON.stringify(name)}`));

/** What was asked without the artifact's own id: lines, a pattern, a program. */
function inputIn(text: string): string {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return text.slice(0, ASKED_CHARS).toWellFormed();
  }
  if (typeof input !== "object" || input === null) return text.slice(0, ASKED_CHARS).toWellFormed();
  const rest = Object.entries(input).filter(([key]) => !["artifact_id", "pointer", "path", "name"].includes(key));
  return (rest.length === 0 ? "all of it" : JSON.stringify(Object.fromEntries(rest)))
    .slice(0, ASKED_CHARS)
    .toWellFormed();
}
