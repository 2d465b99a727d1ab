// What of a session is indexed: each event's text, the whole of what was stored of an output, and memory items.
import { columns, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import { pathIn } from "#lib/kernel/load/call-input.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SearchKind } from "#lib/kernel/search/search-fields.ts";
import { readHead } from "../artifacts/artifact-bytes.ts";
import { requireLive, resolveArtifact } from "../artifacts/resolve.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";

export type IndexDoc = {
  readonly seq: number;
  readonly piece: number;
  readonly kind: SearchKind;
  readonly tool: string;
  readonly ts: number | null;
  readonly tokens: number;
  readonly isError: boolean;
  readonly isSemantic?: boolean;
  readonly text: string;
  readonly file: string;
};

/** Stored outputs are indexed in pieces, so that a hit has a match in a long one (characters of a piece). */
export const PIECE_CHARS = 32 * 1024;
/** A piece goes on into the next one, so that a phrase over their border is found (characters). */
const OVERLAP = 200;

const ROW = {
  ...columns("events", "id", "type", "ts", "artifact", "bytes", "digest", "body"),
  tool: "events.tool_name",
  call: "events.tool_call_id",
} as const satisfies Columns;

type EventRow = RowOf<typeof ROW>;

/** Events that another session has already count and are found there; what was never sent is no text of the session. */
const EVENTS = `SELECT e.id, e.type, e.ts, e.artifact, e.bytes, e.digest, e.body, e.tool_name AS tool, e.tool_call_id AS call
  FROM events e WHERE e.id >= ? AND e.id < ? AND e.inherited = 0 AND e.synthetic = 0 ORDER BY e.id`;

/** Text that is held before it is written (characters). */
const HELD_CHARS = 4 * 1024 * 1024;

/** The matches of some events of a session, from one of them on, and the first event that they do not cover. */
export async function docsOf(
  archive: Archive,
  pk: number,
  from: number,
  to: number,
): Promise<{ readonly docs: readonly IndexDoc[]; readonly to: number }> {
  const rows = query(archive.sqlite, ROW, EVENTS).all(eventRowId(pk, from), eventRowId(pk, to));
  const docs: IndexDoc[] = [];
  let held = 0;
  for (const row of rows) {
    const added = await docsOfEvent(archive, pk, row);
    docs.push(...added);
    held += added.reduce((sum, { text }) => sum + text.length, 0);
    if (held > HELD_CHARS) return { docs, to: seqOfRow(row.id) + 1 };
  }
  return { docs, to };
}

async function docsOfEvent(archive: Archive, pk: number, row: EventRow): Promise<IndexDoc[]> {
  const body = JSON.parse(row.body) as EventBody;
  if (body.type === "meta" && body.sent === undefined) return [];
  const own = eventText(body);
  const stored = row.artifact === null ? null : await storedText(archive, row.artifact);
  const shared = {
    seq: seqOfRow(row.id),
    tool: row.tool ?? "",
    ts: row.ts,
    tokens: tokensOf(archive, row),
    isError: body.type === "error" || (body.type === "tool_result" && body.isError),
    file: fileOf(archive, pk, row, body),
  };
  const docs: IndexDoc[] = [];
  const isInStored = stored !== null && body.type === "tool_result" && body.saw === "full";
  // A compaction is found by its type, also where its agent writes no summary.
  if (!isInStored && (own !== "" || body.type === "compaction"))
    docs.push({ ...shared, piece: 0, kind: body.type, text: own.slice(0, LIMITS.searchBytes) });
  if (stored !== null)
    for (const [at, text] of piecesOf(stored).entries())
      docs.push({ ...shared, piece: at + 1, kind: at === 0 && isInStored ? body.type : "artifact", text });
  return docs;
}

/** As counted; until then a token is four bytes. */
function tokensOf(archive: Archive, { digest, bytes }: EventRow): number {
  const counted =
    digest === null
      ? null
      : scalar(archive.sqlite, "integer?", "SELECT max(tokens) FROM token_counts WHERE digest = ?").get(digest);
  return counted ?? Math.ceil(bytes / BYTES_PER_TOKEN);
}

const BYTES_PER_TOKEN = 4;

/** The first 16 MB of a stored text; null where it is no text, or gone. */
export async function storedText(archive: Archive, pointer: string): Promise<string | null> {
  try {
    const row = requireLive(archive, resolveArtifact(archive, pointer), pointer);
    return row.line_count === null ? null : await readHead(archive, row, LIMITS.searchBytes);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARS) pieces.push(text.slice(at, at + PIECE_CHARS + OVERLAP));
  return pieces;
}

/** The path that a call names; of a result, that of its call. */
function fileOf(archive: Archive, pk: number, row: EventRow, body: EventBody): string {
  if (body.type === "tool_call") return fileIn(body.input);
  if (body.type !== "tool_result") return "";
  if (body.detail?.filePath !== undefined) return body.detail.filePath;
  if (row.call === null) return "";
  const seq = scalar(
    archive.sqlite,
    "tool_interactions.call_seq",
    "FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ?",
  ).get(pk, row.call);
  if (typeof seq !== "number") return "";
  const call = scalar(archive.sqlite, "events.body", "FROM events WHERE id = ?").get(eventRowId(pk, seq));
  const request = call === undefined ? null : (JSON.parse(call) as EventBody);
  return request?.type === "tool_call" ? fileIn(request.input) : "";
}

const PATCHED = /^\*\*\* (?:Update|Add|Delete) File: ([^\n]{1,400})/gm;

function fileIn(input: unknown): string {
  const patch = typeof input === "string" ? input : ((input as { input?: unknown } | null)?.input ?? null);
  const patched = typeof patch === "string" ? [...patch.matchAll(PATCHED)].map(([, path]) => path!) : [];
  const named = typeof input === "object" && input !== null ? pathIn(input as never) : null;
  return [...(named === null || named === undefined ? [] : [named]), ...patched].join("\n");
}

/** Memory items of a session. */
export function memoryDocs(archive: Archive, pk: number): IndexDoc[] {
  const { sqlite } = archive;
  const rows = [
    ...query(
      sqlite,
      { pk: "episodic_items.pk", text: "episodic_items.summary", at: "episodic_items.changed_at" },
      "SELECT pk, summary AS text, changed_at AS at FROM episodic_items WHERE session_pk = ? AND deleted_at IS NULL",
    )
      .all(pk)
      .map((row) => ({ ...row, isSemantic: false })),
    ...query(
      sqlite,
      { pk: "semantic_items.pk", text: "semantic_items.fact", at: "semantic_items.changed_at" },
      "SELECT pk, fact AS text, changed_at AS at FROM semantic_items WHERE session_pk = ? AND deleted_at IS NULL",
    )
      .all(pk)
      .map((row) => ({ ...row, isSemantic: true })),
  ];
  return rows.map(({ pk: seq, text, at, isSemantic }) => ({
    ...{ seq, piece: 0, kind: "memory", tool: "", ts: at, isError: false, isSemantic, text, file: "" },
    tokens: Math.ceil(text.length / BYTES_PER_TOKEN),
  }));
}

/** What events are, in few characters: others after any change of one, and after an output was deleted. */
export type EventsPrint = { readonly count: number; readonly sum: bigint; readonly deleted: number };

export const printText = ({ count, sum, deleted }: EventsPrint): string => `${count} ${sum} ${deleted}`;

/** The print of the events before `to`; of more than `before` is of, those from `from` on are looked at alone. */
export function eventsPrint(archive: Archive, pk: number, to: number, from = 0, before?: EventsPrint): EventsPrint {
  const { count, sum } = query(
    archive.sqlite,
    { count: "integer", sum: "text" },
    `SELECT count(*) AS count, CAST(coalesce(sum((checksum & 16777215) * (id % 1009 + 1)), 0) AS TEXT) AS sum
       FROM events WHERE id BETWEEN ? AND ?`,
  ).get(...rowRange(pk, from, to - 1))!;
  const deleted = before?.deleted ?? deletedOutputs(archive, pk);
  return { count: count + (before?.count ?? 0), sum: BigInt(sum) + (before?.sum ?? 0n), deleted };
}

export const deletedOutputs = (archive: Archive, pk: number): number =>
  scalar(
    archive.sqlite,
    "integer",
    "SELECT count(*) FROM artifacts WHERE session_pk = ? AND deleted_at IS NOT NULL",
  ).get(pk)!;
