// Running counts of a session, kept beside its row, so that one appended line costs the same in a session of any size.
import { NO_USAGE, USAGE_FIELDS, type Usage } from "#lib/kernel/draft.ts";

export type SessionCounters = {
  events: Record<string, number>;
  toolCalls: number;
  hostedToolCalls: number;
  toolResults: number;
  /** Tool calls without a result so far. */
  pending: number;
  resultsWithoutCall: number;
  toolErrors: number;
  calls: { own: number; inherited: number };
  usage: Usage;
  usageWithInherited: Usage;
  lost: Usage | null;
  /** Each of these, by the event whose record says it: a record that is another session's says nothing of this one. */
  gaps: [seq: number, usage: Usage][];
  /** What the agent counts itself, by model, and the session's last time when it said so. */
  reported: { usd: number | null; usage: Readonly<Record<string, Usage>>; at: number | null } | null;
  /** Calls whose output is a lower bound, and calls without any usage. */
  lowerBound: number;
  withoutUsage: number;
  /** Calls whose usage a tokenizer counted. */
  counted: number;
  /** Least context at which the agent compacted by itself: the line that it keeps under. */
  autoCompactAt: number | null;
  /** The provider refused a prompt as too long. */
  overflow: boolean;
  /** When the context was last compacted: a call of before was sent another. */
  compactedAt: number | null;
  lastTokens: number | null;
  lastCall: number | null;
  quality: string[];
  /** Calls that have events but were not reported yet: key → row ids of their events. */
  open: Record<string, number[]>;
  /** Events before this seq are settled: a reading that was cut short leaves some that are not. */
  settled: number;
  /** Records that the session had then. */
  settledRecords: number;
  /** Calls before this number are settled, too. */
  settledCalls: number;
  /** When the session had begun, then. */
  settledStart: number | null;
  /** When it began, as its file says: earlier records are copies. */
  begunAt?: number;
};

/** Its keys are a file's: each is its own, `constructor` too. */
const noOpenCalls = (): SessionCounters["open"] => Object.create(null) as SessionCounters["open"];

export const newCounters = (): SessionCounters => ({
  events: {},
  toolCalls: 0,
  hostedToolCalls: 0,
  toolResults: 0,
  pending: 0,
  resultsWithoutCall: 0,
  toolErrors: 0,
  calls: { own: 0, inherited: 0 },
  usage: { ...NO_USAGE },
  usageWithInherited: { ...NO_USAGE },
  lost: null,
  gaps: [],
  reported: null,
  lowerBound: 0,
  withoutUsage: 0,
  counted: 0,
  autoCompactAt: null,
  overflow: false,
  compactedAt: null,
  lastTokens: null,
  lastCall: null,
  quality: [],
  open: noOpenCalls(),
  settled: 1,
  settledRecords: 0,
  settledCalls: 1,
  settledStart: null,
});

/** Stored counters. What an older version did not count yet begins at nothing. */
export function readCounters(text: string): SessionCounters {
  const kept = JSON.parse(text) as Partial<SessionCounters>;
  const counters: SessionCounters = { ...newCounters(), ...kept };
  counters.open = Object.assign(noOpenCalls(), kept.open);
  const whole = (usage: Usage): Usage => ({ ...NO_USAGE, ...usage });
  counters.usage = whole(counters.usage);
  counters.usageWithInherited = whole(counters.usageWithInherited);
  counters.lost = counters.lost === null ? null : whole(counters.lost);
  if (kept.gaps === undefined && counters.lost !== null) counters.gaps = [[0, counters.lost]];
  return counters;
}

/** Adds `change` to `sum` in place. */
export function addUsage(sum: Usage, change: Usage): void {
  for (const field of USAGE_FIELDS) sum[field] += change[field];
}

export const maxUsage = (a: Usage, b: Usage): Usage =>
  Object.fromEntries(USAGE_FIELDS.map((field) => [field, Math.max(a[field], b[field])])) as Usage;

export const minusUsage = (a: Usage, b: Usage): Usage =>
  Object.fromEntries(USAGE_FIELDS.map((field) => [field, a[field] - b[field]])) as Usage;

/** The counters of a session's row, whose column is older than their name. */
export const countersOf = (row: { readonly tally: string }): SessionCounters => readCounters(row.tally);
