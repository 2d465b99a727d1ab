// Tokens and dollars of pi's answers. Its four counts are disjoint and sum to `totalTokens`; the cost is the agent's own, from
// the prices that it knew then.
import { NO_USAGE, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";
import { asCost, asCount, asObject, isObject, type Json } from "../json.ts";
import { reportedDrafts } from "../reported-sums.ts";
import { noteOf, type Entry } from "./pi-drafts.ts";
import type { PiState } from "./pi-state.ts";

/** The usage of an answer; null where the provider reported none: it was refused, or broken off before a first count. */
export function readPiUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const cacheWrite = asCount(usage["cacheWrite"]);
  const output = asCount(usage["output"]);
  const read: Usage = {
    ...NO_USAGE,
    inputUncached: asCount(usage["input"]),
    cacheRead: asCount(usage["cacheRead"]),
    cacheWrite,
    cacheWrite1h: Math.min(asCount(usage["cacheWrite1h"]), cacheWrite),
    output,
    reasoning: Math.min(asCount(usage["reasoning"]), output),
  };
  return USAGE_FIELDS.every((field) => read[field] === 0) ? null : read;
}

/** Adds what an answer cost by the agent's own count, and tells the sums so far. */
export function addReported(state: PiState, message: Json, usage: Usage | null, model: string): Draft[] {
  if (usage === null) return [];
  const cost = asObject(asObject(message["usage"])["cost"]);
  return reportedDrafts(state, model, usage, asCost(cost["total"]) ?? 0);
}

/** A request beside the conversation, with the record that counts it. */
export function sideCall(usage: Usage, kind: string, model: string | null, entry: Entry): Draft[] {
  const time = String(entry.ts ?? "");
  const key = `${entry.lane} ${time} ${time} ${kind} ${Object.values(usage).join(".")}`.trim();
  return [
    { ...noteOf(entry, `${kind} call`), callKey: key } as Draft,
    { kind: "call", lane: entry.lane, key, ts: entry.ts, model, usage, outputLowerBound: false },
  ];
}

/** A request that an entry counts as its own: that of a summary, or one that kept the cache warm. */
export function entryCall(value: Json, kind: string, model: string | null, entry: Entry, state: PiState): Draft[] {
  const usage = readPiUsage(value["usage"]);
  if (usage === null) return [];
  return [...sideCall(usage, kind, model, entry), ...addReported(state, value, usage, model ?? "")];
}
