// Compactions: a summary that the extension sends in the place of all rounds up to one of them, and the model call that wrote it.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, asWhole, isObject, type Json } from "../json.ts";
import { eventAt, noteAt, type Position } from "../placed-drafts.ts";
import type { ChatRound } from "./chat-rounds.ts";
import { usageOfSummary } from "./chat-usage.ts";

/** `before`: the round of the request that was sent with it first. */
export type DueSummary = { readonly summary: Json; readonly before: number };

type SummaryPass = {
  readonly records: readonly { readonly key: string; readonly round: string | null }[];
  calls: number;
  counted: number;
};

export function summariesOf(metadata: Json): Json[] {
  const all = Array.isArray(metadata["summaries"]) ? metadata["summaries"] : [metadata["summary"]];
  return asArray(all).filter((one): one is Json => isObject(one) && (asText(one["text"]) ?? "") !== "");
}

/** The summary says how many rounds there were. Else it came behind the round after the last that it stands for: that one stays. */
export function dueSummaries(summaries: readonly Json[], rounds: readonly ChatRound[], before: number): DueSummary[] {
  return summaries.map((summary) => {
    const last = rounds.findIndex(({ id }) => id !== null && id === summary["toolCallRoundId"]);
    const counted = (asWhole(summary["numRounds"]) ?? -1) - before;
    const isFitting = counted > last && counted >= 0 && counted <= rounds.length;
    return { summary, before: isFitting ? counted : last < 0 ? 0 : Math.min(last + 2, rounds.length) };
  });
}

export function summaryDrafts(due: readonly DueSummary[], position: Position, pass: SummaryPass): Draft[] {
  return due.flatMap(({ summary }): Draft[] => {
    const at = pass.records.findLastIndex(({ round }) => round !== null && round === summary["toolCallRoundId"]);
    const kept = at < 0 ? undefined : pass.records[at + 1]?.key;
    const text = asText(summary["text"]) ?? "";
    const body: EventBody = {
      type: "compaction",
      kind: "full",
      trigger: asText(summary["source"]) === "background" ? "background" : null,
      tokensBefore: asWhole(summary["contextLengthBefore"]),
      tokensAfter: null,
      text,
      ...(kept !== undefined && { keptFrom: kept }),
    };
    const sent = `<conversation-summary>\n${text}\n</conversation-summary>`;
    return [
      ...summaryCall(summary, position, pass),
      eventAt(position, body),
      eventAt(position, { type: "user", text: sent, injected: "summary" }),
    ];
  });
}

function summaryCall(summary: Json, position: Position, pass: SummaryPass): Draft[] {
  const usage = usageOfSummary(summary);
  const model = asText(summary["model"]);
  if (usage === null && model === null) return [];
  const key = `${position.key ?? ""}.${asText(asObject(summary)["toolCallRoundId"]) ?? ""}`;
  pass.calls++;
  if (usage !== null) pass.counted++;
  return [
    noteAt(position, "compaction call", "", { callKey: key }),
    { kind: "call", lane: "", key, ts: position.ts, model, usage, outputLowerBound: false },
  ];
}
