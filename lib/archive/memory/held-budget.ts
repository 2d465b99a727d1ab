// How many tokens the prompts of a held session may have, and from which share on it is compacted. Off until somebody says
// so: the agent when it made the session, or the environment. What the session says goes before what the environment says.
import { columns, query, scalar } from "#db/statement.ts";
import { DEFAULT_CONTEXT_TOKENS, resolveRequestCapacity, type RequestCapacity } from "#lib/kernel/memory/budget.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import type { HeldCompaction, HeldRequest, HeldSettings } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";

export type HeldBudget = {
  readonly capacity: RequestCapacity;
  /** What the agent said when it made the session. */
  readonly settings: HeldCompaction;
};

/** What is done to each request of a session, besides its compaction. */
export function requestSettings(archive: Archive, pk: number): HeldRequest {
  const settings = scalar(archive.sqlite, "held_compaction.settings", "FROM held_compaction WHERE session_pk = ?").get(
    pk,
  );
  return settings == null ? {} : ((JSON.parse(settings) as HeldSettings).request ?? {});
}

/** Null where automatic compaction is off. */
export function heldBudget(archive: Archive, pk: number): HeldBudget | null {
  const row = query(
    archive.sqlite,
    { ...columns("sessions", "window", "model"), settings: "held_compaction.settings" },
    `SELECT s.window, s.model, h.settings FROM sessions s LEFT JOIN held_compaction h ON h.session_pk = s.pk
       WHERE s.pk = ? AND s.held = 1`,
  ).get(pk);
  if (row === undefined) return null;
  const { compaction: environment = null, prices } = archive.host;
  const said = row.settings === null ? null : (JSON.parse(row.settings) as HeldSettings);
  const own = said?.isOff === true ? null : said;
  const override = own?.contextTokens ?? environment?.activeContextTokensOverride ?? null;
  const ratio = environment?.triggerRatioOverride ?? null;
  if (own === null && override === null && ratio === null) return null;
  const capacity = resolveRequestCapacity(
    {
      maxContextTokens: row.window ?? (row.model === null ? null : prices.window(row.model)) ?? DEFAULT_CONTEXT_TOKENS,
      maxInputTokens: own?.maxInputTokens,
    },
    { maxTokens: own?.maxOutputTokens, compactionRatio: own?.ratio, safetyMarginTokens: own?.safetyMarginTokens },
    new CompactionPolicy(),
    { activeContextTokensOverride: override, triggerRatioOverride: ratio },
  );
  return capacity === null ? null : { capacity, settings: own ?? {} };
}
