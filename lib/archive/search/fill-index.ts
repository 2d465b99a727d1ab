// Brings the index up to what the archive has: in the background after tokens are counted, and before a command's own search.
// What was indexed of a session is compared by a sum over its events; a session that grew goes on where it was.
import type { Statement } from "better-sqlite3";
import type { Sqlite } from "#db/connection.ts";
import { query } from "#db/statement.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import { identifierParts, withoutLongRuns } from "#lib/kernel/search/split-identifiers.ts";
import { spacedText } from "#lib/kernel/search/unspaced.ts";
import type { Archive } from "../base/archive-type.ts";
import { removeIndexed, writeIndexOf } from "../base/search-file.ts";
import { madeInLog } from "./made-in-log.ts";
import { deletedOutputs, docsOf, eventsPrint, memoryDocs, printText } from "./indexed-docs.ts";
import type { EventsPrint, IndexDoc } from "./indexed-docs.ts";
import { replaceMade } from "./made-sessions.ts";
import { indexDue, memoryPrints, type IndexedRow } from "./search-index.ts";

export type FillOptions = {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
};

/** Events of one transaction. */
const AT_ONCE = 200;

/** Indexes what is not indexed yet; how many sessions that were. */
export async function fillIndex(archive: Archive, { signal, onProgress }: FillOptions = {}): Promise<number> {
  const index = writeIndexOf(archive);
  const { sessions, gone } = indexDue(archive, index);
  for (const pk of gone) index.transaction(() => removeIndexed(index, pk)).immediate();
  let done = 0;
  for (const pk of sessions) {
    if (signal?.aborted === true) break;
    if (await indexSession(archive, index, pk, signal)) done++;
    onProgress?.(done, sessions.length);
  }
  if (sessions.length + gone.length > 0) index.pragma("wal_checkpoint(PASSIVE)");
  return done;
}

const SESSION = { id: "sessions.id", version: "sessions.version", end: "sessions.next_seq" } as const;

/** False when it was stopped: the next time goes on from there. */
async function indexSession(archive: Archive, index: Sqlite, pk: number, signal?: AbortSignal): Promise<boolean> {
  const session = query(archive.sqlite, SESSION, "SELECT id, version, next_seq AS end FROM sessions WHERE pk = ?").get(
    pk,
  );
  if (session === undefined) return true;
  let { from, print } = startOf(archive, index, pk, session.id);
  for (;;) {
    const { docs, to } = await docsOf(archive, pk, from, Math.min(session.end, from + AT_ONCE));
    const isLast = to >= session.end;
    const made = isLast ? await madeInLog(archive, pk) : null;
    const memory = isLast ? (memoryPrints(archive).get(pk) ?? "") : "";
    const state = { session: pk, id: session.id, version: isLast ? session.version : -1, next_seq: to, memory };
    const before = print;
    // Of what is new alone: the events from the first on, for each step, take 9 s of a session of 60,000.
    print = eventsPrint(archive, pk, to, from, before);
    const row = { ...state, events: printText(print) };
    index
      .transaction(() => {
        // Another process may have been here since, or a person who deleted an output.
        if (!isAsLeft(archive, index, pk, from, before)) return;
        for (const doc of docs) addDoc(index, pk, doc);
        if (isLast) replaceMemory(archive, index, pk);
        if (made !== null) replaceMade(index, pk, made);
        saveState(index, row);
      })
      .immediate();
    if (isLast) return true;
    from = to;
    await new Promise((resume) => setImmediate(resume));
    if (signal?.aborted === true) return false;
  }
}

const indexedOf = (index: Sqlite, pk: number): IndexedRow | undefined =>
  index.prepare("SELECT * FROM indexed WHERE session = ?").get(pk) as IndexedRow | undefined;

/** The first event that is not indexed, and the print of those before; what was indexed of others is taken out. */
function startOf(archive: Archive, index: Sqlite, pk: number, id: string): { from: number; print: EventsPrint } {
  const row = indexedOf(index, pk);
  if (row?.id === id) {
    const print = eventsPrint(archive, pk, row.next_seq);
    if (row.events === printText(print)) return { from: row.next_seq, print };
  }
  if (row !== undefined) removeIndexed(index, pk);
  return { from: 1, print: eventsPrint(archive, pk, 1) };
}

function isAsLeft(archive: Archive, index: Sqlite, pk: number, from: number, print: EventsPrint): boolean {
  const row = indexedOf(index, pk);
  if (row === undefined) return from === 1;
  if (deletedOutputs(archive, pk) === print.deleted) return row.next_seq === from && row.events === printText(print);
  removeIndexed(index, pk);
  return false;
}

const MEMORY = SEARCH_KINDS.indexOf("memory");

function replaceMemory(archive: Archive, index: Sqlite, pk: number): void {
  index
    .prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM docs WHERE session = ? AND kind = ?)")
    .run(pk, MEMORY);
  index.prepare("DELETE FROM docs WHERE session = ? AND kind = ?").run(pk, MEMORY);
  for (const doc of memoryDocs(archive, pk)) addDoc(index, pk, doc);
}

function saveState(index: Sqlite, { session, id, version, next_seq, events, memory }: IndexedRow): void {
  index
    .prepare(
      "INSERT OR REPLACE INTO indexed (session, id, version, next_seq, events, memory) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(session, id, version, next_seq, events, memory);
}

export const IS_ERROR = 1;
export const IS_SEMANTIC = 2;

function addDoc(index: Sqlite, pk: number, doc: IndexDoc): void {
  const flags = (doc.isError ? IS_ERROR : 0) | (doc.isSemantic === true ? IS_SEMANTIC : 0);
  const kind = SEARCH_KINDS.indexOf(doc.kind);
  const { lastInsertRowid } = statement(
    index,
    "INSERT INTO docs (session, seq, piece, kind, tool, ts, tokens, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  ).run(pk, doc.seq, doc.piece, kind, toolKey(index, doc.tool), doc.ts, doc.tokens, flags);
  const { text, parts } = indexedText(doc.text);
  statement(index, "INSERT INTO words (rowid, text, parts, file) VALUES (?, ?, ?, ?)").run(
    lastInsertRowid,
    text,
    parts,
    spacedText(doc.file),
  );
}

/** A text as the index takes it. */
export const indexedText = (text: string): { readonly text: string; readonly parts: string } => {
  const whole = textOfWords(text);
  return { text: spacedText(whole), parts: identifierParts(whole) };
};

/** … as words are marked in it. */
export const textOfWords = (text: string): string => withoutLongRuns(text).toWellFormed();

function toolKey(index: Sqlite, name: string): number {
  if (name === "") return 0;
  const known = statement(index, "SELECT pk FROM tools WHERE name = ?").get(name) as { pk: number } | undefined;
  return known?.pk ?? Number(statement(index, "INSERT INTO tools (name) VALUES (?)").run(name).lastInsertRowid);
}

const statements = new WeakMap<Sqlite, Map<string, Statement<unknown[]>>>();

/** Prepared once for an index: there are as many as matches. */
function statement(index: Sqlite, sql: string): Statement<unknown[]> {
  let known = statements.get(index);
  if (known === undefined) statements.set(index, (known = new Map()));
  let found = known.get(sql);
  if (found === undefined) known.set(sql, (found = index.prepare(sql)));
  return found;
}
