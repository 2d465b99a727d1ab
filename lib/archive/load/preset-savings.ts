// What each preset of the offload policy would have saved on the sessions that are here: every one is replayed under every
// preset. A replayed session is not replayed again until it changes, so a second look costs nothing.
import { columns, query, select } from "#db/statement.ts";
import { PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import { replayPresets, type PresetReplays } from "#lib/kernel/load/what-if/presets.ts";
import type { Outcome } from "#lib/kernel/load/what-if/what-if-types.ts";
import type { PresetSavings } from "#lib/wire/preset-savings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { perArchive } from "../base/per-archive.ts";
import { LINE_ROW, loadLineOf, type LineRow } from "../import/load-line.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { freshLedgerOf } from "./load-facts.ts";
import { ratesOf } from "../base/model-overrides.ts";
import { countersOf } from "../import/session-counters.ts";

type Row = LineRow & { readonly pk: number; readonly version: number; readonly tally: string };

/** Newest first: a person who stops it has seen what is nearest. Sessions that Plimsoll holds have a policy already. */
export async function presetSavingsOf(
  archive: Archive,
  { signal, onProgress }: WorkOptions = {},
): Promise<PresetSavings> {
  const rows = query(
    archive.sqlite,
    {
      ...LINE_ROW,
      ...columns("sessions", "pk", "version", "tally"),
    },
    `FROM sessions
       WHERE held = 0 AND calls > 0 ORDER BY started_at DESC, pk`,
  ).all();
  const kept = replayedIn(archive);
  const all: PresetReplays[] = [];
  for (const [done, row] of rows.entries()) {
    signal?.throwIfAborted();
    const before = kept.get(row.pk);
    const isKept = before?.version === row.version;
    if (!isKept) {
      onProgress?.({ done, total: rows.length, what: "sessions replayed" });
      kept.set(row.pk, { version: row.version, replays: replaySession(archive, row) });
      // Each takes up to 100 ms: whoever waits for this thread comes in between.
      await new Promise((resume) => setImmediate(resume));
    }
    all.push(kept.get(row.pk)!.replays);
  }
  onProgress?.({ done: rows.length, total: rows.length, what: "sessions replayed" });
  const present = new Set(rows.map(({ pk }) => pk));
  for (const pk of kept.keys()) if (!present.has(pk)) kept.delete(pk);
  return summed(all);
}

type Kept = Map<number, { readonly version: number; readonly replays: PresetReplays }>;
const replayedIn = perArchive((): Kept => new Map());

function replaySession(archive: Archive, row: Row): PresetReplays {
  const { ledger, calls, compactions } = freshLedgerOf(archive, row.pk);
  const input = {
    ledger,
    facts: new Map(),
    compactions: compactions.map((compaction) => ({ ...compaction, cleared: compaction.seqs })),
    schemas: [],
    loadLine: loadLineOf(archive, row, countersOf(row)).tokens,
    ratesOf: ratesOf(archive, row.cwd),
    inherited: new Set(calls.flatMap(({ inherited }, k) => (inherited === 1 ? [k] : []))),
  };
  return replayPresets(input, sizesOf(archive, row.pk), row.window);
}

/** Bytes of each output as the model saw it: a preview that the agent made of it, where there is one. */
function sizesOf(archive: Archive, pk: number): ReadonlyMap<number, number> {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "bytes"],
    "WHERE id BETWEEN ? AND ? AND type = 'tool_result' AND synthetic = 0",
  ).all(...rowRange(pk));
  return new Map(rows.map(({ id, bytes }) => [seqOfRow(id), bytes]));
}

function summed(all: readonly PresetReplays[]): PresetSavings {
  const priced = all.filter(({ actual }) => actual.usd !== null);
  const full = all.filter(({ wasFull }) => wasFull);
  const savedBy = (outcomeOf: (replays: PresetReplays) => Outcome) => ({
    tokens: sum(all.map((one) => one.actual.promptTokens - outcomeOf(one).promptTokens)),
    // A smaller prompt may lie in a tier that the table has no price for: then nothing is said of that session.
    usd: usdOf(priced, (one) => one.actual.usd! - (outcomeOf(one).usd ?? one.actual.usd!)),
  });
  return {
    sessions: all.length,
    priced: priced.length,
    full: full.length,
    promptTokens: sum(all.map(({ actual }) => actual.promptTokens)),
    unreportedTokens: sum(all.map(({ unreported }) => unreported)),
    usd: usdOf(priced, ({ actual }) => actual.usd!),
    presets: PRESET_NAMES.map((preset, i) => ({
      preset,
      offloaded: sum(all.map(({ presets }) => presets[i]!.offloaded)),
      saved: savedBy(({ presets }) => presets[i]!.none),
      savedHalfRead: savedBy(({ presets }) => presets[i]!.half),
      staysUnder: full.filter(({ presets }) => presets[i]!.staysUnder).length,
    })),
    label: "same turns assumed",
  };
}

const usdOf = (priced: readonly PresetReplays[], of: (one: PresetReplays) => number): number | null =>
  priced.length === 0 ? null : sum(priced.map(of));

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
