// Running figures of a session, kept beside its row, so that one appended line costs the same in a session of any size.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";

export type Tally = {
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
  /** Calls whose output is a lower bound, and calls without any usage. */
  lowerBound: number;
  withoutUsage: number;
  /** Calls whose usage a tokenizer counted. */
  counted: number;
  /** Largest context at which the agent compacted by itself: the window that it really had. */
  autoCompactAt: number | null;
  /** The provider refused a prompt as too long. */
  overflow: boolean;
  lastTokens: number | null;
  lastCall: number | null;
  quality: string[];
  /** Calls that have events but were not reported yet: key → row ids of their events. */
  open: Record<string, number[]>;
  /** Events before this seq are settled: a reading that was cut short leaves some that are not. */
  settled: number;
  /** Records that the session had then. */
  settledRecords: number;
};

export const newTally = (): Tally => ({
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
  lowerBound: 0,
  withoutUsage: 0,
  counted: 0,
  autoCompactAt: null,
  overflow: false,
  lastTokens: null,
  lastCall: null,
  quality: [],
  open: {},
  settled: 1,
  settledRecords: 0,
});

const FIELDS = ["inputUncached", "cacheRead", "cacheWrite", "output", "reasoning"] as const;

/** Adds `change` to `sum` in place. */
export function addUsage(sum: Usage, change: Usage): void {
  for (const field of FIELDS) sum[field] += change[field];
}

export const maxUsage = (a: Usage, b: Usage): Usage =>
  Object.fromEntries(FIELDS.map((field) => [field, Math.max(a[field], b[field])])) as Usage;

export const minusUsage = (a: Usage, b: Usage): Usage =>
  Object.fromEntries(FIELDS.map((field) => [field, a[field] - b[field]])) as Usage;
