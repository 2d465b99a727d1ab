// The write that makes a session follow its memory folder. Its log only grows: traces that are new are appended; what its
// agent archived since is a compaction of the agent; what came back from the archive undoes the compaction that took it.
import { command, scalar } from "#db/statement.ts";
import { hash } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import { traceKey, type RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { ownSession } from "../artifacts/held-session.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { applyPatch, saveSession } from "../import/session-row.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { FIRST_VERSION } from "../base/first-version.ts";
import { exportedKey, publicSessionId, recordKey } from "../base/row-keys.ts";
import { touch } from "./add-compaction.ts";
import { readTraces, writeTraces } from "./trace-rows.ts";
import { appendUndone, undoCompaction } from "./undo-compaction.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { attachedAt, attachedRows } from "./attached-rows.ts";
import type { Archived, Seen } from "./read-directory.ts";
import { adoptRun, lostRuns } from "./lost-runs.ts";
import { syncItems } from "./sync-items.ts";
import { defineWrite } from "../base/write.ts";

export type SyncInput = {
  readonly seen: Seen;
  /** The session that follows the folder; null where the folder is attached. */
  readonly sessionId: string | null;
};
export type SyncAnswer = { readonly sessionId: string; readonly created: boolean; readonly added: number };

/** Null where a person has detached the folder since it was looked at. */
export function syncAttached(archive: Archive, batch: Batch, { seen, sessionId: of }: SyncInput): SyncAnswer | null {
  const known = attachedAt(archive, seen.path);
  if (of !== null && known?.sessionId !== of) return null;
  const sessionId = known?.sessionId ?? attach(archive, batch, seen);
  undoWhatCameBack(archive, batch, sessionId, new Set(seen.active));
  const added = follow(archive, batch, sessionId, seen);
  const { pk } = ownSession(archive, sessionId);
  syncItems(archive, pk, seen, batch);
  command(
    archive.sqlite,
    "UPDATE attached SET generation = ?, fingerprint = ?, refuses = ?, read_at = ? WHERE session_pk = ?",
  ).run(seen.generation, seen.fingerprint, seen.refuses, batch.now, pk);
  return { sessionId, created: known === null, added };
}

function attach(archive: Archive, batch: Batch, seen: Seen): string {
  const { path, agentId, generation } = seen;
  const left = readSetting(archive, detachedKey(path)) as string | null;
  const isThere =
    left !== null && command(archive.sqlite, "SELECT 1 FROM sessions WHERE id = ?").get(left) !== undefined;
  const id = isThere ? left : makeSession(archive, path, agentId);
  command(
    archive.sqlite,
    `INSERT INTO attached (session_pk, path, generation, fingerprint, refuses, attached_at, read_at)
       SELECT pk, ?, ?, ?, ?, ?, ? FROM sessions WHERE id = ?`,
  ).run(path, generation, seen.fingerprint, seen.refuses, batch.now, batch.now, id);
  putSetting(archive, detachedKey(path), null);
  if (isThere) return id;
  const session = ownSession(archive, id);
  applyPatch(session, {
    title: agentId,
    titleRank: 1,
    agentName: "Autobyteus",
    quality: `Attached memory folder ${path}${generation === null ? "" : ` of generation ${generation}`}: written by its agent, without model calls.`,
  });
  saveSession(archive, session, batch.now);
  settleFigures(archive, session.pk);
  return id;
}

function makeSession(archive: Archive, path: string, agentId: string): string {
  const plain = `autobyteus:${agentId}`;
  const isTaken = command(archive.sqlite, "SELECT 1 FROM sessions WHERE native_id = ?").get(plain) !== undefined;
  const nativeId = isTaken ? `${plain}-${hash("sha256", path, "hex").slice(0, 8)}` : plain;
  const id = publicSessionId(nativeId);
  command(
    archive.sqlite,
    `INSERT INTO sessions (id, native_id, format, version) VALUES (?, ?, 'autobyteus', ${FIRST_VERSION})`,
  ).run(id, nativeId);
  return id;
}

export type DetachInput = { readonly sessionId: string };

/** The session stays as it was read last; attached again, the folder goes on in it. */
export function detachFolder(archive: Archive, _batch: Batch, { sessionId }: DetachInput): { readonly path: string } {
  const { pk, path } =
    attachedRows(archive).find((row) => row.sessionId === sessionId) ??
    fail("not_found", `Session ${sessionId} is no longer an attached memory folder.`);
  command(archive.sqlite, "DELETE FROM attached WHERE session_pk = ?").run(pk);
  putSetting(archive, detachedKey(path), sessionId);
  touch(archive, pk);
  return { path };
}

/** Under this name stands the session of a folder that was detached. */
const detachedKey = (path: string): string => `attached.was ${path}`;

function undoWhatCameBack(archive: Archive, batch: Batch, sessionId: string, inFile: ReadonlySet<string>): void {
  const { pk } = ownSession(archive, sessionId);
  for (;;) {
    const isBack = readTraces(archive, sessionId, pk).archived.some(({ key }) => inFile.has(key));
    const last = compactionsOf(archive, pk).findLast(({ kind }) => kind === "full");
    if (!isBack || last === undefined) return;
    const ours = scalar(
      archive.sqlite,
      "compactions.id",
      "FROM compactions WHERE session_pk = ? AND event_seq = ?",
    ).get(pk, last.seq);
    if (ours === undefined) appendUndone(archive, batch, sessionId, last.seq, "Its agent undid this compaction.");
    else undoCompaction(archive, batch, { id: ours, sessionId });
  }
}

/** Appends what is new, and a compaction wherever the archive of the folder tells of one. */
function follow(archive: Archive, batch: Batch, sessionId: string, seen: Seen): number {
  const session = ownSession(archive, sessionId);
  const traces = readTraces(archive, sessionId, session.pk);
  const activeNow = new Set(traces.active.map(({ key }) => key));
  const inLog = new Set([...activeNow, ...traces.archived.map(({ key }) => key)]);
  const fresh = seen.traces.filter((trace) => !inLog.has(traceKey(trace)));
  const cuts = cutsOf(seen, fresh, activeNow, inLog);
  if (fresh.length === 0 && cuts.length === 0) return 0;
  const first = session.nextSeq;
  const writer = new SessionWriter(archive, batch, session);
  const nameOf = (trace: RawTrace): string => `${session.nativeId}:${traceKey(trace)}`;
  let written = 0;
  const writeUpTo = (end: number): void => {
    const next = fresh.slice(written, end);
    writeTraces(archive, writer, next, nameOf);
    for (const trace of next) activeNow.add(traceKey(trace));
    written = Math.max(written, end);
  };
  const lost = lostRuns(archive, seen.runs);
  for (const [i, { end, keys, summary, at }] of cuts.entries()) {
    writeUpTo(end);
    for (const key of keys) activeNow.delete(key);
    const preserved = [...activeNow].map((key) => exportedKey(recordKey(`${session.nativeId}:${key}`, NO_BYTES)));
    const ts = at === null ? null : Math.round(at * 1000);
    const key = `${session.nativeId}:compaction:${session.nextSeq}`;
    const common = { kind: "event", lane: "", ts, recordKey: key, callKey: null, startsTurn: false } as const;
    // The last compactions of the folder are those that the archive has not heard of.
    const id = lost.at(i - cuts.length);
    const seqs = traces.active.filter((one) => keys.has(one.key)).map(({ seq }) => seq);
    if (id !== undefined) adoptRun(archive, session.pk, { id, eventSeq: session.nextSeq, seqs, summary }, batch.now);
    const text = `${id === undefined ? "Its agent" : `Plimsoll (${id})`} archived ${keys.size} records of this memory.`;
    const result = { type: "compaction", kind: "full", trigger: null, tokensBefore: null, tokensAfter: null } as const;
    writer.append(
      [
        { ...common, body: { ...result, text, preserved } },
        { ...common, body: { type: "user", text: summary, injected: "summary" } },
      ],
      { from: "held" },
    );
  }
  writeUpTo(fresh.length);
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  return session.nextSeq - first;
}

const NO_BYTES = new Uint8Array(0);

type Cut = {
  /** Of the new traces those before it stand before the compaction. */
  readonly end: number;
  readonly keys: ReadonlySet<string>;
  readonly at: number | null;
  readonly summary: string;
};

/** Compactions that the log does not tell of yet: what is active in it, or new, and in the folder's archive, or gone. */
function cutsOf(
  seen: Seen,
  fresh: readonly RawTrace[],
  activeNow: ReadonlySet<string>,
  inLog: ReadonlySet<string>,
): Cut[] {
  const inFile = new Set(seen.active);
  const result = new Set<string>();
  const cuts: Cut[] = [];
  const add = ({ at, keys }: Archived, from: number | null, otherwise: string): void => {
    const own = new Set(
      keys.filter((key) => !inFile.has(key) && !result.has(key) && (activeNow.has(key) || !inLog.has(key))),
    );
    if (own.size === 0) return;
    for (const key of own) result.add(key);
    const last = fresh.findLastIndex((trace) => own.has(traceKey(trace)));
    const before = at === null ? last : fresh.findLastIndex(({ ts }) => ts <= at);
    const end = Math.max(cuts.at(-1)?.end ?? 0, last + 1, before + 1);
    // The items of a compaction are written just before its traces are archived: they are its summary.
    const items = seen.episodic.filter(({ ts }) => at !== null && ts <= at && ts > (from ?? -Infinity));
    const summary = items.map((item) => item.summary).join("\n\n");
    cuts.push({ end, keys: own, at, summary: summary === "" ? otherwise : summary });
  };
  seen.archived.forEach((one, i) =>
    add(one, seen.archived[i - 1]?.at ?? null, "[Archived by its agent, without a memory item.]"),
  );
  const known = new Set(seen.traces.map(traceKey));
  const gone = [...activeNow].filter((key) => !known.has(key));
  add({ at: null, keys: gone }, null, "[Deleted from the memory folder; only this log has it.]");
  return cuts;
}

export const syncAttachedWrite = defineWrite("syncAttached", syncAttached);
export const detachFolderWrite = defineWrite("detachFolder", detachFolder);
