// A turn whose writes are closed takes nothing more: a call that ends late leaves no blob, no row, no event.
import { command, query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { heldSession } from "./held-session.ts";
import { defineWrite, ofSession } from "../base/write.ts";

/** The write of closeTurn. */
export function addClosedTurn(
  archive: Archive,
  batch: Batch,
  { sessionId, turn }: { sessionId: string; turn: number },
): { turn: number; closed: boolean } {
  const session = heldSession(archive, sessionId);
  const closed = closedTurns(archive, sessionId);
  if (closed.includes(turn)) return { turn, closed: true };
  command(archive.sqlite, "UPDATE sessions SET closed_turns = ?, version = version + 1 WHERE pk = ?").run(
    JSON.stringify([...closed, turn]),
    session.pk,
  );
  batch.register(sessionId, { op: "close", nativeId: session.nativeId, turn, at: batch.now });
  return { turn, closed: true };
}

/** False for an output that names no turn: nothing says that it is late. */
export const isTurnClosed = (archive: Archive, sessionId: string, turn: number | undefined): boolean =>
  turn !== undefined && closedTurns(archive, sessionId).includes(turn);

/** Turns that take no more writes. */
export function closedTurns(archive: Archive, sessionId: string): number[] {
  const text = query(archive.sqlite, { turns: "sessions.closed_turns" }, "FROM sessions WHERE id = ?").get(sessionId);
  return JSON.parse(text?.turns ?? "[]") as number[];
}

export const closeTurnWrite = defineWrite("closeTurn", addClosedTurn, { isWhole: true, session: ofSession });
