// The load line of a session: the context at which its agent compacts, or the window where nothing is known of that.
import { columns, type Columns, type RowOf } from "#db/statement.ts";
import { knownLine } from "#lib/kernel/load/compaction-line.ts";
import type { Archive } from "../base/archive-type.ts";
import { setWindow } from "../base/model-overrides.ts";
import { observedLine } from "./observed.ts";
import type { SessionCounters } from "./session-counters.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type LoadLine = {
  readonly tokens: number | null;
  readonly origin: string | null;
  readonly window: number | null;
  readonly windowOrigin: string | null;
  /** Who said so, for those who count them. */
  readonly by: "settings" | "observed" | "reported" | "version" | "table" | "larger" | null;
};

/** What a load line is found by. A person's override may hold for one project alone: `cwd`. */
export const LINE_ROW = {
  ...columns("sessions", "model", "cwd", "format", "window"),
  agentVersion: "sessions.agent_version",
  peakTokens: "sessions.peak_tokens",
} as const satisfies Columns;
export type LineRow = RowOf<typeof LINE_ROW>;

/** Windows that providers sell: where the table names a smaller one than what was sent, the next holds. */
const WINDOWS = [200_000, 272_000, 400_000, 1_000_000, 2_000_000] as const;

const SET = "set in settings";
const REPORTED = "reported by the agent";
const TABLE = "the model's window, from the price table";
const LARGER = "this session's peak exceeds the window of the price table";
const OWN = "observed: the agent compacted at this load";
const OTHERS = "observed: other sessions of this model and client compacted at this load";

/** A peak so far beyond a line ran in a larger window. */
const BEYOND = 1.05;
/** Two loads at which agents compacted are of one line when they are this near. */
const NEAR = 0.9;

/**
 * What a person set comes first. Then, where the agent compacted by itself, the least load at which it did, whatever a table
 * says: sessions with a table window of 1 M were seen to compact at about 160,000. Then what the agent reported, what other
 * sessions of its version show, what its version is known to do, and the table.
 */
export function loadLineOf(archive: Archive, row: LineRow, counters: SessionCounters): LoadLine {
  const set = setWindow(archive, row.model, row.cwd);
  if (set !== null) return { tokens: set, origin: SET, window: set, windowOrigin: SET, by: "settings" };
  const peak = row.peakTokens ?? 0;
  const { window, windowOrigin } = windowOf(archive, row, counters);
  // A prompt that was answered fitted: where none was refused, the line is not under the peak.
  const line = (tokens: number, origin: string, by: LoadLine["by"]): LoadLine =>
    peak > tokens && !counters.overflow
      ? {
          tokens: peak,
          origin: `this session's own peak, over ${exactly(tokens)}: ${origin}`,
          window,
          windowOrigin,
          by,
        }
      : { tokens, origin, window, windowOrigin, by };
  const seen = observedLine(archive, row);
  const own = counters.autoCompactAt;
  if (own !== null && (window === null || own <= window * BEYOND))
    return line(seen !== null && seen < own && seen >= own * NEAR ? seen : own, OWN, "observed");
  if (row.window !== null) return { tokens: row.window, origin: REPORTED, window, windowOrigin, by: "reported" };
  if (seen !== null && peak <= seen * BEYOND && (window === null || seen < window))
    return line(seen, OTHERS, "observed");
  const known = knownLine(row, window);
  if (known !== null && peak <= known * BEYOND)
    return line(known, `Claude Code ${row.agentVersion} compacts at this load`, "version");
  if (window === null) return { tokens: null, origin: null, window, windowOrigin, by: null };
  return {
    tokens: window,
    origin: windowOrigin,
    window,
    windowOrigin,
    by: windowOrigin === TABLE ? "table" : "larger",
  };
}

function windowOf(
  archive: Archive,
  row: LineRow,
  { overflow }: SessionCounters,
): Pick<LoadLine, "window" | "windowOrigin"> {
  if (row.window !== null) return { window: row.window, windowOrigin: REPORTED };
  const table = row.model === null ? null : archive.host.prices.window(row.model);
  if (table === null) return { window: null, windowOrigin: null };
  const peak = row.peakTokens ?? 0;
  const larger = table >= peak || overflow ? undefined : WINDOWS.find((size) => size >= peak);
  return larger === undefined ? { window: table, windowOrigin: TABLE } : { window: larger, windowOrigin: LARGER };
}
