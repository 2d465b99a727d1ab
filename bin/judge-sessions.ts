// What a session could have saved, and its findings, before a node of a fleet writes them to the catalogue: the writing thread works
// them out in its pauses; here it is asked for some sessions first, and waited for.
import { setTimeout } from "node:timers/promises";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { unjudgedSessions } from "#lib/archive/load/compute-verdict.ts";
import type { Imports } from "#lib/http/app-context.ts";

const LOOK_MS = 50;
/** A session of 290 MB takes 25 s. Whose findings take longer than this is catalogued without. */
const LONGEST_MS = 10 * 60_000;

export async function judgeSessions(
  archive: Archive,
  imports: Pick<Imports, "count">,
  sessions: readonly string[],
): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  for (let asked = 0; ; await setTimeout(LOOK_MS)) {
    const left = unjudgedSessions(archive, sessions);
    if (left.length === 0 || performance.now() > end) return;
    // Another job may have stopped it: it is asked again when nothing came of it for a while.
    if (asked++ % 100 === 0) for (const pk of left) imports.count(pk);
  }
}
