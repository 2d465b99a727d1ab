// The writes behind a change of windows and prices: one keeps the setting, the other works out again what hangs on it, some
// sessions at a time. What is left is itself kept, so that a server that ended in between goes on where it stopped.
import { command, scalar, select } from "#db/statement.ts";
import { requireSeen } from "#lib/kernel/require-seen.ts";
import { overridesChanged, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { MODELS_SETTING, overridesOf } from "../base/model-overrides.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";
import { priceMark } from "./price-mark.ts";

/** `was`: every list that a session's figures may still be of. `next`: the first session that was not looked at. */
const SETTLING = "models.settling";
type Settling = {
  readonly was: readonly (readonly ModelOverride[])[];
  /** Models whose price in the table is another than it was. */
  readonly repriced?: readonly string[];
  readonly next: number;
};

/** An import waits for one batch (milliseconds): some 2,000 calls, 21 µs each. A session is never parted. */
const BATCH_MS = 40;

type List = readonly ModelOverride[];

/** The write of saveModels. */
export function keepModels(
  archive: Archive,
  _: Batch,
  { overrides, seen }: { readonly overrides: List; readonly seen?: List | undefined },
): null {
  const before = overridesOf(archive);
  requireSeen("Windows and prices", before, seen);
  if (JSON.stringify(before) === JSON.stringify(overrides)) return null;
  const left = readSetting(archive, SETTLING) as Settling | null;
  putSetting(archive, MODELS_SETTING, overrides.length === 0 ? null : overrides);
  putSetting(archive, SETTLING, { ...left, was: [...(left?.was ?? []), before], next: 0 } satisfies Settling);
  return null;
}

/** What the table had for each model when the dollars here were worked out. */
const PRICES_SETTING = "models.prices";

/**
 * Notes the models whose price is another than at the last start: dollars are kept with their calls. `isPriced`: those that came since
 * were priced by this table.
 */
export function notePrices(archive: Archive, _batch: Batch, { isPriced }: { readonly isPriced: boolean }): null {
  const noted = (readSetting(archive, PRICES_SETTING) ?? {}) as Readonly<Record<string, string>>;
  const models = scalar(
    archive.sqlite,
    "model_calls.model",
    "SELECT DISTINCT model FROM model_calls WHERE model IS NOT NULL",
  ).all() as string[];
  const now = Object.fromEntries(models.map((model) => [model, priceMark(archive.host.prices, model)]));
  const changed = models.filter((model) => now[model] !== noted[model]);
  if (changed.length === 0) return null;
  if (isPriced) {
    putSetting(archive, PRICES_SETTING, { ...now, ...noted });
    return null;
  }
  const left = readSetting(archive, SETTLING) as Settling | null;
  putSetting(archive, PRICES_SETTING, now);
  putSetting(archive, SETTLING, {
    was: left?.was ?? [],
    repriced: [...(left?.repriced ?? []), ...changed],
    next: 0,
  } satisfies Settling);
  return null;
}

type SessionRow = { readonly pk: number; readonly model: string | null; readonly cwd: string | null };

/** Works out the figures of the next sessions that the change touches; true when none is left. */
export function settleModels(archive: Archive, _batch: Batch, _input: object): { readonly isDone: boolean } {
  const settling = readSetting(archive, SETTLING) as Settling | null;
  if (settling === null) return { isDone: true };
  const until = performance.now() + BATCH_MS;
  const isDue = dueBy(archive, settling);
  const rows = select(archive.sqlite, "sessions", ["pk", "model", "cwd"], "WHERE pk >= ? ORDER BY pk").iterate(
    settling.next,
  );
  const due: number[] = [];
  let next: number | null = null;
  for (const row of rows as Iterable<SessionRow>) {
    if (performance.now() >= until || due.length >= SESSIONS) {
      next = row.pk;
      break;
    }
    if (isDue(row)) due.push(row.pk);
  }
  const left = due.findIndex((pk, at) => {
    if (at > 0 && performance.now() >= until) return true;
    renewFigures(archive, settling, pk);
    return false;
  });
  if (left >= 0) next = due[left]!;
  putSetting(archive, SETTLING, next === null ? null : { ...settling, next });
  return { isDone: next === null };
}

type SomeSessions = { readonly sessions: readonly string[] };

/** The same of these sessions, before their turn; those that are left. */
export function settleSessions(archive: Archive, _batch: Batch, { sessions }: SomeSessions): readonly string[] {
  const settling = readSetting(archive, SETTLING) as Settling | null;
  if (settling === null) return [];
  const until = performance.now() + BATCH_MS;
  const isDue = dueBy(archive, settling);
  const find = select(archive.sqlite, "sessions", ["pk", "model", "cwd"], "WHERE id = ? AND pk >= ?");
  for (const [at, id] of sessions.entries()) {
    if (at > 0 && performance.now() >= until) return sessions.slice(at);
    const row = find.get(id, settling.next);
    if (row !== undefined && isDue(row)) renewFigures(archive, settling, row.pk);
  }
  return [];
}

function dueBy(archive: Archive, { was, repriced }: Settling): (row: SessionRow) => boolean {
  const isChanged = overridesChanged(was, overridesOf(archive));
  const models = new Set<string | null>(repriced);
  return (row) => modelsOf(archive, row).some((model) => models.has(model) || isChanged(model, row.cwd));
}

function renewFigures(archive: Archive, { was }: Settling, pk: number): void {
  const before = figuresOf(archive, pk);
  command(archive.sqlite, "UPDATE model_calls SET priced = 0, checksum = NULL WHERE session_pk = ?").run(pk);
  settleFigures(archive, pk);
  if (was.length > 0 || figuresOf(archive, pk) !== before)
    command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
}

const SESSIONS = 50;

/** Calls with dollars, and the sum. */
const figuresOf = ({ sqlite }: Archive, pk: number): string =>
  JSON.stringify([
    scalar(sqlite, "integer", "SELECT count(usd) FROM model_calls WHERE session_pk = ?").get(pk),
    scalar(sqlite, "real?", "SELECT sum(usd) FROM model_calls WHERE session_pk = ?").get(pk),
  ]);

export const isSettling = (archive: Archive): boolean => readSetting(archive, SETTLING) !== null;

/** How many sessions were not looked at yet since the last change. */
export function modelsLeft(archive: Archive): number {
  const settling = readSetting(archive, SETTLING) as Settling | null;
  if (settling === null) return 0;
  return scalar(archive.sqlite, "integer", "SELECT count(*) FROM sessions WHERE pk >= ?").get(settling.next)!;
}

/** Models of a session: its own, and those of its calls where it has several. */
function modelsOf(archive: Archive, { pk, model }: SessionRow): (string | null)[] {
  const found = scalar(
    archive.sqlite,
    "model_calls.model",
    "SELECT DISTINCT model FROM model_calls WHERE session_pk = ?",
  ).all(pk);
  return [model, ...(found as (string | null)[])];
}

export const notePricesWrite = defineWrite("notePrices", notePrices);
export const saveModelsWrite = defineWrite("saveModels", keepModels);
export const settleModelsWrite = defineWrite("settleModels", settleModels);
export const settleSessionsWrite = defineWrite("settleSessions", settleSessions);
