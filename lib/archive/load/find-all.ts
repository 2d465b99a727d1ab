// Findings of every session that has none of now, for a command before which no server ran: counted, judged and written one by one.
import { scalar } from "#db/statement.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";
import type { Archive } from "../base/archive-type.ts";
import { judgeSession } from "./compute-verdict.ts";
import { countSession } from "./count-tokens.ts";

/** Only who writes may ask. What was stopped goes on the next time where it was. */
export async function findAll(archive: Archive, onProgress: (done: number, total: number) => void): Promise<void> {
  const due = scalar(
    archive.sqlite,
    "sessions.pk",
    `FROM sessions WHERE earlier IS NULL AND calls > 0 AND (findings_version IS NOT version OR rules_version < ?)
     ORDER BY ended_at DESC, pk DESC`,
  ).all(RULES_VERSION);
  for (const [done, pk] of due.entries()) {
    onProgress(done, due.length);
    await countSession(archive, pk);
    await judgeSession(archive, pk);
  }
}
