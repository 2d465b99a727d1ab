// Reads the sessions of telemetry that was stored: a little after the last record, so that a trace whose spans come child first is
// read once, and for a long file as seldom as its reading takes long.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { write } from "#lib/archive/base/write.ts";
import type { StoredTelemetry } from "#lib/archive/import/telemetry-files.ts";
import { dropTracesWrite, noteTelemetryWrite, sessionWithFile } from "#lib/archive/import/telemetry-sessions.ts";

/** After the last record; and at the latest after the first (milliseconds). */
const QUIET_MS = 1000;
const LATEST_MS = 5000;
/** A file is read again when so many times of what its last reading took has passed. */
const REST = 10;
/** Files that are read at once: other imports go between. */
const AT_ONCE = 200;

type Given = {
  readonly archive: Archive;
  /** Imports files; resolves when it is done. */
  readonly read: (paths: readonly string[]) => Promise<unknown>;
  readonly now?: () => number;
};
type Waiting = { readonly name: string; readonly since: number; due: number };

export type TelemetryImports = { note(stored: Pick<StoredTelemetry, "files" | "moved">): void; close(): void };

export function createTelemetryImports({ archive, read, now = Date.now }: Given): TelemetryImports {
  const waiting = new Map<string, Waiting>();
  const restUntil = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let isReading = false;
  /** Of a long row of files, half of the time is left to others. */
  let restingUntil = 0;

  function plan(): void {
    if (timer !== null || isReading || waiting.size === 0) return;
    const next = Math.min(...[...waiting.values()].map(({ due }) => due));
    timer = setTimeout(() => void run(), Math.max(0, Math.max(next, restingUntil) - now())).unref();
  }

  async function run(): Promise<void> {
    timer = null;
    isReading = true;
    try {
      const due = [...waiting].filter(([, one]) => one.due <= now()).slice(0, AT_ONCE);
      for (const [path] of due) waiting.delete(path);
      const alone = await notShown(due.map(([path, { name }]) => ({ path, name })));
      const startedAt = now();
      if (alone.length > 0) await read(alone);
      const took = now() - startedAt;
      restingUntil = now() + took;
      for (const path of alone) restUntil.set(path, now() + (REST * took) / alone.length);
      if (restUntil.size > 10_000) for (const [path, until] of restUntil) if (until < now()) restUntil.delete(path);
    } catch (error) {
      console.error("Could not read telemetry:", error);
    } finally {
      isReading = false;
      plan();
    }
  }

  /** Those of sessions that have no file here; of the others the pages are told. */
  async function notShown(files: readonly { path: string; name: string }[]): Promise<string[]> {
    const alone: string[] = [];
    for (const { path, name } of files) {
      const sessionId = sessionWithFile(archive, name);
      if (sessionId === null) alone.push(path);
      else await write(archive, noteTelemetryWrite, { sessionId });
    }
    return alone;
  }

  return {
    note({ files, moved }) {
      const at = now();
      if (moved.length > 0) write(archive, dropTracesWrite, { paths: [...moved] }).catch(() => undefined);
      for (const path of moved) waiting.delete(path);
      for (const { path, name, isShown } of files) {
        if (!isShown) continue;
        const since = waiting.get(path)?.since ?? at;
        const due = Math.max(Math.min(at + QUIET_MS, since + LATEST_MS), restUntil.get(path) ?? 0);
        waiting.set(path, { name, since, due });
      }
      if (timer !== null) clearTimeout(timer);
      timer = null;
      plan();
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      waiting.clear();
    },
  };
}
