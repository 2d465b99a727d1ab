// The load at which agents were seen to compact, by model: what a table says of a window is believed only where no session
// of the model shows better. A function of what the files hold now, so the order in which they came does not matter.
import { command, query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { settleFigures } from "./session-stats.ts";
import { clearObservedStale } from "./observed-stale.ts";
import { LEARNING, modelOfKey, OBSERVED_WINDOWS, observedKeys, type ObservedWindows } from "./observed.ts";

/** Sessions that must agree on it: one alone may have been told to compact early. */
const LEAST = 2;
/** … and a load under this share of the middle one was. */
const NEAR = 0.9;

/**
 * Works out the observed windows again, and the figures of the sessions whose line they are; for the end of an import that
 * changed anything: a session that was compacted may have become another, or gone.
 */
export function settleObserved(archive: Archive): void {
  clearObservedStale(archive);
  const before = (readSetting(archive, OBSERVED_WINDOWS) ?? {}) as ObservedWindows;
  const now = learnsHere(archive) ? observedNow(archive) : {};
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  const changed = new Set([...keys].filter((key) => before[key] !== now[key]).map(modelOfKey));
  if (changed.size === 0) return;
  putSetting(archive, OBSERVED_WINDOWS, now);
  const sessionsOf = query(
    archive.sqlite,
    { pk: "sessions.pk", line: "sessions.load_line" },
    "FROM sessions WHERE model = ?",
  );
  const lineOf = scalar(archive.sqlite, "sessions.load_line", "FROM sessions WHERE pk = ?");
  const renew = command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?");
  for (const model of changed)
    for (const { pk, line } of sessionsOf.all(model)) {
      settleFigures(archive, pk);
      if (lineOf.get(pk) !== line) renew.run(pk);
    }
}

/** Whether a session's figures may hang on the others that are here. */
export const learnsHere = (archive: Archive): boolean => readSetting(archive, LEARNING) !== false;

export function setLearns(archive: Archive, learns: boolean): void {
  if (learns === learnsHere(archive)) return;
  putSetting(archive, LEARNING, learns ? null : false);
  settleObserved(archive);
}

function observedNow(archive: Archive): ObservedWindows {
  const rows = query(
    archive.sqlite,
    { model: "sessions.model!", format: "sessions.format", agentVersion: "sessions.agent_version", at: "integer" },
    `SELECT model, format, agent_version AS agentVersion, tally ->> 'autoCompactAt' AS at
     FROM sessions WHERE earlier IS NULL AND compactions > 0 AND model IS NOT NULL AND tally ->> 'autoCompactAt' IS NOT NULL ORDER BY at, pk`,
  ).all();
  const seen = new Map<string, number[]>();
  for (const { at, ...kind } of rows)
    for (const key of observedKeys(kind)) seen.set(key, [...(seen.get(key) ?? []), at]);
  const windows: Record<string, number> = {};
  for (const key of [...seen.keys()].toSorted()) {
    const loads = seen.get(key)!;
    // The least is the line; one that is far under the others was told to compact early.
    if (loads.length >= LEAST) windows[key] = loads.find((at) => at >= NEAR * loads[loads.length >> 1]!)!;
  }
  return windows;
}
