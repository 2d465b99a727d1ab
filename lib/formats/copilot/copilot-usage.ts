// Tokens of Copilot's calls. Its input has what was read from the cache and what was written to it. Calls have records of their own
// in newer versions; sums by model stand where a run of the program ended, and are those of the whole session so far.
import { NO_USAGE, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asObject, asText, isObject, type Json } from "../json.ts";
import { noteOf, type Line } from "./copilot-drafts.ts";
import type { CopilotState } from "./copilot-state.ts";

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

/** Sums of the session so far, which a run of the program leaves when it ends. */
export function shutdown(data: Json, line: Line): Draft[] {
  const models = Object.entries(asObject(data["modelMetrics"])).slice(0, MODELS);
  const usage = Object.fromEntries(
    models.flatMap(([model, metrics]) => {
      const counted = asObject(metrics)["usage"];
      return isObject(counted) ? [[model, readCopilotUsage(counted)] as const] : [];
    }),
  );
  const isCounted = Object.values(usage).some((one) => USAGE_FIELDS.some((field) => one[field] > 0));
  return [
    noteOf(line, "session.shutdown", asText(data["shutdownType"]) ?? ""),
    // Its own prices are premium requests and credits, not dollars.
    ...(isCounted ? [{ kind: "reported", lane: "", usd: null, usage } as const] : []),
  ];
}
