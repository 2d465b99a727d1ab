// Mending what check found. Artifacts, names and sessions of ours come back from the registries; imported sessions are
// read again from their source's kept bytes, with the parser of today.
import { scalar } from "#db/statement.ts";
import { sumAnew, wrongSums } from "#db/row-sums.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { check } from "./check-archive.ts";
import { SUMMED_ROWS } from "./check-rows.ts";
import { Batch } from "../base/batch.ts";
import { reparse } from "../import/reparse.ts";
import { rebuildRows } from "./rebuild-rows.ts";
import { foldRegistry } from "../artifacts/registry-fold.ts";
import { registryIds } from "../base/registry-ids.ts";

/** Mends what can be mended, and says what was. Stopped, it ends between two sessions; what was mended stays. */
export async function rebuild(
  archive: Archive,
  onProgress?: WorkOptions["onProgress"],
  signal?: AbortSignal,
): Promise<CheckAnswer> {
  const before = await check(archive, onProgress);
  const rebuilt = { artifacts: 0, sessions: 0, events: 0, names: 0 };
  const failed: CheckAnswer["problems"] = [];
  // What cannot be mended is told, and the rest is mended all the same.
  const attempt = async (ref: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failed.push({ kind: "rebuild", ref, text: `It could not be repaired: ${reason}.` });
    }
  };
  const ids = registryIds(archive);
  for (const [i, id] of ids.entries()) {
    if (signal?.aborted) break;
    await attempt(`sessions/${id}`, async () => {
      const { artifacts, names, sessions } = await rebuildRows(archive, await foldRegistry(archive, id));
      rebuilt.artifacts += artifacts;
      rebuilt.names += names;
      rebuilt.sessions += sessions;
    });
    if (i % 100 === 0) onProgress?.({ done: i, total: ids.length, what: "registries" });
  }
  let sources = new Set<number>();
  await attempt("sources", async () => void (sources = sourcesOf(archive, before.badSessions)));
  for (const pk of sources) {
    if (signal?.aborted) break;
    await attempt(`source ${pk}`, async () => {
      const outcome = await rebuildSource(archive, pk);
      rebuilt.sessions += outcome.sessions;
      rebuilt.events += outcome.events;
    });
  }
  await attempt("sums", async () => acceptRows(archive, failed));
  const { badSessions: _before, ...after } = await check(archive, onProgress);
  return { ...after, ok: after.ok && failed.length === 0, rebuilt, problems: [...failed, ...after.problems] };
}

/** What is not read again stays as it is: it is told once, and its sums and checksums are made anew. */
function acceptRows({ sqlite }: Archive, failed: CheckAnswer["problems"]): void {
  const sourceOf = scalar(sqlite, "sessions.source_pk", "FROM sessions WHERE pk = ?");
  const tell = (table: string, session: number): void => {
    if (session > 0 && typeof sourceOf.get(session) === "number") return;
    failed.push({ kind: "rows", ref: table, text: "A value changed on disk and was accepted as it is." });
  };
  const wrong = wrongSums(sqlite, () => undefined);
  for (const { table, group } of wrong) tell(table, group);
  sqlite
    .transaction(() => {
      for (const { table, columns } of SUMMED_ROWS) {
        const isWrong = `checksum <> row_hash(${columns})`;
        const sessions = scalar(
          sqlite,
          `${table}.session_pk`,
          `SELECT DISTINCT session_pk FROM ${table} WHERE ${isWrong}`,
        );
        for (const pk of sessions.all()) tell(table, pk);
        sqlite.exec(`UPDATE ${table} SET checksum = row_hash(${columns}) WHERE ${isWrong}`);
      }
      for (const table of new Set(wrong.map((one) => one.table))) sumAnew(sqlite, table);
    })
    .immediate();
}

function sourcesOf(archive: Archive, sessions: ReadonlySet<number>): Set<number> {
  const sourceOf = scalar(archive.sqlite, "sessions.source_pk", "FROM sessions WHERE pk = ?");
  const found = [...sessions].map((pk) => sourceOf.get(pk));
  return new Set(found.filter((pk) => typeof pk === "number"));
}

async function rebuildSource(archive: Archive, sourcePk: number): Promise<{ sessions: number; events: number }> {
  await archive.turn.take();
  const batch = new Batch(archive);
  try {
    batch.begin();
    const outcome = await reparse(archive, batch, sourcePk);
    await batch.commit();
    return { sessions: outcome.sessions.length, events: outcome.events };
  } catch (error) {
    await batch.rollback();
    throw error;
  } finally {
    archive.turn.give();
  }
}
