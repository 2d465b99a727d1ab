// Tokens of Copilot's calls. Its input has what was read from the cache and what was written to it. Calls have records of their own
// in newer versions; sums by model stand where a run of the program ended.
import { NO_USAGE, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asObject, asText, isObject, type Json } from "../json.ts";
import { noteOf, type Line } from "./copilot-drafts.ts";
import { addOfModel } from "../reported-sums.ts";
import type { ByModel, CopilotState } from "./copilot-state.ts";

/** Models whose sums are read of one record. */
const MODELS = 24;

/** Both names of each count: a compaction's are the shorter ones in older versions. */
export function readCopilotUsage(usage: Json): Usage {
  const input = asCount(usage["inputTokens"] ?? usage["input"]);
  const cacheRead = Math.min(asCount(usage["cacheReadTokens"] ?? usage["cachedInput"]), input);
  const cacheWrite = Math.min(asCount(usage["cacheWriteTokens"]), input - cacheRead);
  const output = asCount(usage["outputTokens"] ?? usage["output"]);
  return {
    ...NO_USAGE,
    inputUncached: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(asCount(usage["reasoningTokens"]), output),
  };
}

/** A record of one call. It comes before the answer that it counts, and a compaction's answer is in no other record. */
export function usageRecord(data: Json, line: Line, state: CopilotState): Draft[] {
  const usage = asObject(data["usage"]);
  const key = asText(usage["apiCallId"]) ?? line.key;
  const model = asText(usage["model"]);
  state.countsCalls = true;
  const drafts: Draft[] = [noteOf(line, "usage", asText(usage["interactionType"]) ?? "", key)];
  if (key !== null)
    drafts.push({
      kind: "call",
      lane: line.lane,
      key,
      ts: line.ts,
      model,
      usage: readCopilotUsage(usage),
      outputLowerBound: false,
      window: asCount(usage["maxPromptTokens"]) || null,
    });
  return drafts;
}

/** A compaction's call is counted where the compaction ends, be it that it was given up. Older versions name neither request nor model. */
export function compactionCall(data: Json, line: Line, state: CopilotState): Draft[] {
  const key = asText(data["requestId"]) ?? line.key;
  const used = data["compactionTokensUsed"];
  if (!isObject(used) || key === null) return [];
  const model = asText(used["model"]) ?? (line.lane === "" ? state.model : null);
  const usage = readCopilotUsage(used);
  return [
    noteOf(line, "compaction call", "", key),
    { kind: "call", lane: line.lane, key, ts: line.ts, model, usage, outputLowerBound: false },
  ];
}

/** Sums that a run of the program leaves when it ends: of the session so far, or, of releases until 2026, of that run alone. */
export function shutdown(data: Json, line: Line, state: CopilotState): Draft[] {
  const models = Object.entries(asObject(data["modelMetrics"])).slice(0, MODELS);
  const usage = Object.fromEntries(
    models.flatMap(([model, metrics]) => {
      const counted = asObject(metrics)["usage"];
      return isObject(counted) ? [[model, readCopilotUsage(counted)] as const] : [];
    }),
  );
  const isCounted = Object.values(usage).some((one) => USAGE_FIELDS.some((field) => one[field] > 0));
  const note = noteOf(line, "session.shutdown", asText(data["shutdownType"]) ?? "");
  if (!isCounted) return [note];
  const { runs = { before: {}, last: {} }, said = 0 } = state;
  const before = goesOn(usage, runs.last, said) ? runs.before : added(runs.before, runs.last);
  state.runs = { before, last: usage };
  state.said = 0;
  // Its own prices are premium requests and credits, not dollars.
  return [note, { kind: "reported", lane: "", usd: null, usage: added(before, usage) }];
}

/**
 * True where the sums hold those of the run before: none is less, and the output is nearer to both runs' than to what was said since,
 * which the answers of the file tell.
 */
function goesOn(usage: ByModel, last: ByModel, said: number): boolean {
  const isMore = Object.entries(last).every(([model, one]) =>
    USAGE_FIELDS.every((field) => (usage[model]?.[field] ?? 0) >= one[field]),
  );
  const [all, before] = [outputOf(usage), outputOf(last)];
  return isMore && Math.abs(all - before - said) <= Math.abs(all - said);
}

const outputOf = (usage: ByModel): number => Object.values(usage).reduce((sum, { output }) => sum + output, 0);

function added(before: ByModel, more: ByModel): Record<string, Usage> {
  const sums = { ...before };
  for (const [model, usage] of Object.entries(more)) addOfModel(sums, model, usage);
  return sums;
}
