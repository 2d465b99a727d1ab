// What SWE-agent counts itself: tokens and dollars of the whole run, of no single call.
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { asCost, asCount, type Json } from "../json.ts";

export function statsDraft(stats: Json, lane: string, model: string | null): Draft[] {
  const [sent, received] = [asCount(stats["tokens_sent"]), asCount(stats["tokens_received"])];
  const dollars = asCost(stats["instance_cost"]) ?? asCost(stats["total_cost"]);
  const usd = dollars !== null && dollars > 0 ? dollars : null;
  if (sent + received === 0 && usd === null) return [];
  const usage =
    sent + received === 0 ? {} : { [model ?? "unknown"]: { ...NO_USAGE, inputUncached: sent, output: received } };
  return [{ kind: "reported", lane, usd, usage }];
}
