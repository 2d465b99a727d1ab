// The calls of a Claude Code file, read apart from the import: each answer once, with what its first line says of its output
// and the most that any line does.
import { readFileSync } from "node:fs";
import type { Usage } from "#lib/kernel/draft.ts";

export type BilledCall = {
  readonly model: string;
  readonly at: number | null;
  readonly usage: Usage;
  readonly firstOutput: number;
  readonly from: "progress" | null;
};

type Value = Record<string, unknown>;
const asObject = (value: unknown): Value => (typeof value === "object" && value !== null ? (value as Value) : {});
const asNumber = (value: unknown): number => (typeof value === "number" ? value : 0);

export function billedCalls(path: string): Map<string, BilledCall> {
  const calls = new Map<string, BilledCall>();
  const result: [Value, "progress"][] = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    for (const record of recordsOf(line)) {
      if (record["type"] === "assistant") addCall(calls, record, null);
      const progress = asObject(record["data"]);
      if (record["type"] === "progress" && progress["type"] === "agent_progress")
        result.push([asObject(progress["message"]), "progress"]);
    }
  }
  // A call of a sub-agent that a file of its own holds is there; the caller leaves it out by its key.
  for (const [record, from] of result) if (record["type"] === "assistant") addCall(calls, record, from);
  return calls;
}

function recordsOf(line: string): Value[] {
  if (line.trim() === "") return [];
  try {
    return [asObject(JSON.parse(line))];
  } catch {
    // Two processes that append at once leave no newline between two records.
    return line.split(/(?<=\})(?=\{"(?:parentUuid|type|sessionId)")/).flatMap((part) => {
      try {
        return [asObject(JSON.parse(part))];
      } catch {
        return [];
      }
    });
  }
}

function addCall(calls: Map<string, BilledCall>, record: Value, from: "progress" | null): void {
  const message = asObject(record["message"]);
  const usage = message["usage"];
  if (typeof usage !== "object" || usage === null || message["model"] === "<synthetic>") return;
  const key = `${String(message["id"] ?? record["uuid"])}:${String(record["requestId"] ?? "")}`;
  const of = asObject(usage);
  const output = asNumber(of["output_tokens"]);
  const known = calls.get(key);
  if (known !== undefined && known.from !== from) return;
  calls.set(key, {
    model: String(message["model"]),
    at: known?.at ?? Date.parse(String(record["timestamp"])),
    usage: {
      inputUncached: asNumber(of["input_tokens"]),
      cacheRead: asNumber(of["cache_read_input_tokens"]),
      cacheWrite: asNumber(of["cache_creation_input_tokens"]),
      cacheWrite1h: asNumber(asObject(of["cache_creation"])["ephemeral_1h_input_tokens"]),
      output: Math.max(known?.usage.output ?? 0, output),
      reasoning: 0,
      webSearches: asNumber(asObject(of["server_tool_use"])["web_search_requests"]),
    },
    firstOutput: known?.firstOutput ?? output,
    from: known?.from ?? from,
  });
}
