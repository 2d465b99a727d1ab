// Recall: the artifacts of a session that a question, or what the agent is about to do, most likely needs. Answers come from
// an index in memory; every recall is kept with what it gave.
import { columns, query, select, type Columns } from "#db/statement.ts";
import { RECALL_DEFAULTS, type RecallConfig, type RecallEntry } from "#lib/kernel/artifacts/recall.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { headOf } from "#lib/kernel/artifacts/preview.ts";
import { envelopeIds } from "#lib/kernel/memory/recall/recall-block.ts";
import type { KnownDoc } from "#lib/kernel/memory/recall/recall-index.ts";
import { recall as recallFrom, type RecallRun } from "#lib/kernel/memory/recall/recall-run.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { RecallAnswer } from "#lib/wire/recall-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { stateOf } from "../artifacts/resolve.ts";
import { findSession } from "../base/find-session.ts";
import { eventRowId, rowRange, SEARCH_RANGE } from "../base/row-keys.ts";
import { lineWith, storedHead, type StoredLine } from "../artifacts/stored-text.ts";
import { contextLog, requireSeq } from "./context-rows.ts";
import { beginningOf, recallIndexOf } from "./archive-recall-index.ts";
import { write } from "../base/write.ts";
import { addRecallWrite } from "./recall-rows.ts";

export type RecallOptions = {
  readonly query: string;
  /** The event that it is asked at: what a call there would have seen come in is recalled. Absent: everything. */
  readonly at?: number | undefined;
  readonly k?: number | undefined;
  readonly maxChars?: number | undefined;
  /** Leaves out what the context at that event holds whole or as an envelope: what an agent is reminded of unasked. */
  readonly hideShown?: boolean;
};

/** Fails with `not_found` for a session or an event that is not there. */
export async function recall(archive: Archive, session: string, options: RecallOptions): Promise<RecallAnswer> {
  const pk = findSession(archive, session);
  const at = options.at === undefined ? null : requireSeq(archive, pk, options.at);
  const { index, beginnings } = await recallIndexOf(archive, pk);
  const { sessionId, turn, before } = recallPosition(archive, pk, at);
  const deep = deepHits(archive, pk, isQuestion(options.query) ? index.missing(options.query) : []);
  const lines = await linesWith(archive, deep);
  const shown = options.hideShown === true ? shownIn(archive, pk, before - 1) : null;
  const { block, entries, run } = recallFrom(
    index,
    {
      query: options.query,
      turn,
      at,
      before,
      budget: budgetOf(options),
      deep,
      ...(shown !== null && {
        isShown: ({ pointer, artifactId }: KnownDoc) => shown.has(pointer) || shown.has(artifactId),
      }),
    },
    (doc) => entryOf(archive, sessionId, doc, lines.get(doc.pointer) ?? null, beginnings.get(doc.pointer) ?? null),
    archive.host.now(),
  );
  await keep(archive, sessionId, run);
  return {
    items: entries.map(({ artifactId, pointer, score, summary }) => ({
      artifactId,
      pointer,
      score,
      summary,
      line: lines.get(pointer)?.line ?? null,
    })),
    chars: run.chars,
    omitted: run.omitted,
    text: block?.text ?? "",
  };
}

/** Words of a question that are looked for further on, and artifacts that one of them leads to. */
const DEEP_WORDS = 8;
const DEEP_HITS = 40;

/** Of longer texts words are left out: what an agent says in passing is found further on in many files, and none is meant. */
const QUESTION_WORDS = 24;
const isQuestion = (query: string): boolean => (query.match(/[\p{L}\p{N}_]+/gu) ?? []).length <= QUESTION_WORDS;

/** Words that no artifact begins with, and the artifacts that have them further on: the search index knows the whole text. */
function deepHits(archive: Archive, pk: number, words: readonly string[]): ReadonlyMap<string, string[]> {
  const find = query(
    archive.sqlite,
    { pointer: "events.artifact!" },
    `SELECT e.artifact AS pointer FROM search JOIN events e ON e.id = search.rowid
     WHERE search MATCH ? AND ${SEARCH_RANGE} AND e.artifact IS NOT NULL LIMIT ?`,
  );
  return new Map(
    words.slice(0, DEEP_WORDS).map((word) => {
      const hits = find.all(`"${word}"`, ...rowRange(pk), DEEP_HITS);
      return [word, hits.map(({ pointer }) => pointer)];
    }),
  );
}

/** Artifacts whose line is told: reading each takes its file. */
const LINES_READ = 10;

/** Of what was found further on: the line that has the word. */
async function linesWith(
  archive: Archive,
  deep: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, StoredLine>> {
  const words = new Map<string, string[]>();
  for (const [word, pointers] of deep)
    for (const pointer of pointers) words.set(pointer, [...(words.get(pointer) ?? []), word]);
  const most = [...words].toSorted(([, a], [, b]) => b.length - a.length).slice(0, LINES_READ);
  const lines = new Map<string, StoredLine>();
  for (const [pointer, own] of most) {
    const line = lineWith((await storedHead(archive, pointer, LIMITS.searchChars)) ?? "", own);
    if (line !== null) lines.set(pointer, line);
  }
  return lines;
}

/** Characters of one item and of its part of the narrative. */
const ITEM_CHARS = 280;

/** Who asks for more items than are usual gets the room for them, unless characters are named too. */
const budgetOf = ({ k, maxChars }: RecallOptions): Partial<RecallConfig> => ({
  ...(k !== undefined && { maxItems: k }),
  maxChars: maxChars ?? Math.max(RECALL_DEFAULTS.maxChars, ITEM_CHARS * (k ?? 0)),
});

type RecallPosition = { readonly sessionId: string; readonly turn: number | null; readonly before: number };

/** What a model wrote it wrote before anything came of it; what came to it, it had. */
const WRITTEN = new Set(["assistant", "reasoning", "tool_call"]);

function recallPosition(archive: Archive, pk: number, at: number | null): RecallPosition {
  const { sqlite } = archive;
  const session = query(
    sqlite,
    { ...columns("sessions", "id", "turn"), nextSeq: "sessions.next_seq" },
    "FROM sessions WHERE pk = ?",
  ).get(pk)!;
  if (at === null) return { sessionId: session.id, turn: session.turn, before: session.nextSeq };
  const event = select(sqlite, "events", ["turn", "type"], "WHERE id = ?").get(eventRowId(pk, at));
  const isWritten = event !== undefined && WRITTEN.has(event.type);
  return { sessionId: session.id, turn: event?.turn ?? null, before: isWritten ? at : at + 1 };
}

/** Ids and pointers of what stands in the context up to an event, whole or as an envelope; results that were blanked do not. */
function shownIn(archive: Archive, pk: number, upTo: number): ReadonlySet<string> {
  const { rows, compactions } = contextLog(archive, pk, upTo);
  const blanked = new Set(compactions.flatMap(({ kind, seqs }) => (kind === "micro" ? [...seqs] : [])));
  const shown = new Set<string>();
  for (const { seq, artifact, body } of rows) {
    if (blanked.has(seq)) continue;
    if (artifact !== null) shown.add(artifact);
    if ("images" in body) for (const image of body.images ?? []) if (image.artifact !== null) shown.add(image.artifact);
    if (body.type === "tool_result") for (const id of envelopeIds(body.text)) shown.add(id);
  }
  return shown;
}

const ROW_COLUMNS = {
  ...columns(
    "artifacts",
    "name",
    "size",
    "created_at",
    "expires_at",
    "deleted_at",
    "deleted_why",
    "description",
    "preview",
  ),
  toolName: "artifacts.tool_name",
  isText: "integer",
  body: "events.body?",
} as const satisfies Columns;

/** What is told of an artifact, secrets masked; null when it expired or was deleted. */
function entryOf(
  archive: Archive,
  sessionId: string,
  doc: KnownDoc,
  found: StoredLine | null,
  beginning: string | null,
): RecallEntry | null {
  const row = query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT a.name, a.tool_name AS toolName, a.size, a.created_at, a.expires_at, a.deleted_at, a.deleted_why, a.description, a.preview,
       a.line_count IS NOT NULL AS isText, e.body
     FROM artifacts a LEFT JOIN events e ON e.id = a.session_pk * 4294967296 + a.seq WHERE a.pointer = ?`,
  ).get(doc.pointer);
  if (row === undefined || stateOf(row, archive.host.now()) !== "live") return null;
  const name = doc.path === null ? (inputOf(doc) ?? row.name) : doc.path.split("/").at(-1)!;
  const begins = (beginning ?? beginningOf(row)).replace(RUN_FACTS, "").replace(LINE_NUMBERS, "");
  const says = found === null ? (row.description ?? begins) : `line ${found.line}: ${found.text.trim()}`;
  const text = says.trim() === "" ? (name ?? doc.artifactId) : name === null ? says : `${name}: ${says}`;
  return {
    artifactId: doc.artifactId,
    pointer: doc.pointer,
    sessionId,
    summary: shortLine(text),
    createdAt: row.created_at,
    name: name === null ? null : shortLine(name),
    toolName: row.toolName,
    sizeBytes: row.size,
  };
}

/** The command or question behind an output that is no file's: it stands behind the tool's name in the subject. */
const inputOf = ({ subject, pointer }: KnownDoc): string | null =>
  subject === pointer ? null : headOf(subject.slice(subject.indexOf("\n") + 1), ASKED_CHARS) || null;

// Eight items with these fit into the 2,000 characters that a recall has where nothing else is said.
const ASKED_CHARS = 48;
const SUMMARY_CHARS = 112;
/** Some tools number the lines of a file, and some tell of their run first: neither says what came out. */
const LINE_NUMBERS = /^[ \t]*\d+(?:→|\t)/gm;
const RUN_FACTS = /^(?:Chunk ID|Exit code|Wall time)\b[\s\S]{0,300}?\nOutput:\n/;

const shortLine = (text: string): string => {
  const line = headOf(redactText(text).text.replace(/\s+/g, " ").trim(), SUMMARY_CHARS).toWellFormed();
  // Marks are written as five characters: of a page full of them less is told, and the others keep their room.
  let end = 0;
  for (let room = SUMMARY_CHARS; end < line.length; end++) {
    room -= "<>`".includes(line[end]!) ? 5 : 1;
    if (room < 0) break;
  }
  return line.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
};

type Kept = { readonly sessionId: string; readonly run: RecallRun };
const waiting = perArchive((): Kept[] => []);
/** Recalls that a reader holds for somebody who may write. */
const UNWRITTEN = 100;

/** A recall that cannot be noted is answered all the same: the one who asked has what it asked for. */
async function keep(archive: Archive, sessionId: string, run: RecallRun): Promise<void> {
  const recalls = [{ sessionId, run }];
  if (archive.mode === "read") {
    const held = waiting(archive);
    held.push(...recalls);
    return void held.splice(0, held.length - UNWRITTEN);
  }
  await write(archive, addRecallWrite, { recalls }).catch((error: unknown) =>
    console.error("A recall could not be recorded:", error),
  );
}

/** The recalls of a reader that could not write them: somebody else may, with addRecall. */
export const takeRecalls = (archive: Archive): Kept[] => waiting(archive).splice(0);
