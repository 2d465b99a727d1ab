// Warns when a session that runs comes near its load line: once for each time that it passes the share which a person chose.
import { sessionPk } from "#lib/archive/base/find-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { sessionStatus } from "#lib/archive/load/session-status.ts";
import { readWarnAt } from "#lib/archive/settings/warn-setting.ts";
import { isRunning } from "#lib/archive/sessions/session-view.ts";
import type { Changes } from "./changes.ts";

/** A file that grows is heard of several times a second; its load changes with a call. */
const SETTLE_MS = 500;

/** Watches what changes; returns how to stop. */
export function warnOfLoad(archive: Archive, changes: Changes, settleMs = SETTLE_MS): () => void {
  const over = new Set<string>();
  const waiting = new Map<string, NodeJS.Timeout>();

  const check = (id: string): void => {
    const warnAt = archive.sqlite.open ? readWarnAt(archive) : null;
    if (warnAt === null) return over.clear();
    const pk = sessionPk(archive, id);
    if (pk === undefined) return void over.delete(id);
    const { title, load } = sessionStatus(archive, pk, archive.host.now());
    // What was compacted, or is read long after it ended, is no news; the next rise is.
    if (load.share === null || load.share < warnAt) return void over.delete(id);
    if (over.has(id) || !isRunning(archive, pk)) return;
    over.add(id);
    changes.publish({ type: "warning", id, title, tokens: load.tokens!, line: load.line!, share: load.share });
  };
  const look = (id: string): void => {
    waiting.delete(id);
    try {
      check(id);
    } catch (error) {
      // A damaged page, say: the rest of the server goes on, and the session's next change is looked at.
      console.error(`The load of ${id} could not be checked:`, error);
    }
  };
  const stop = changes.subscribe(null, (_, change) => {
    if (change.type !== "session" || waiting.has(change.id)) return;
    const timer = setTimeout(() => look(change.id), settleMs);
    timer.unref();
    waiting.set(change.id, timer);
  });
  return () => {
    stop();
    for (const timer of waiting.values()) clearTimeout(timer);
  };
}
