// What stands beside a message of Continue: who answered, its thoughts and their time, and a summary of all that was before.
import type { Draft } from "#lib/kernel/draft.ts";
import { asArray, asCost, asObject, asText, asTime, type Json } from "../json.ts";
import { providerUsage } from "../messages/provider-usage.ts";
import { eventAt, patchOf } from "../placed-drafts.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
/** The model that answers, as its settings call it. */
type Models = { model: string | null };

/** `at`: an event of the message. */
export function besideItem(drafts: readonly Draft[], item: Json, at: EventDraft, models: Models): Draft[] {
  const thought = asObject(item["reasoning"]);
  const ts = asTime(thought["startAt"]);
  const call = drafts.find((draft) => draft.kind === "call");
  const logged = asObject(asArray(item["promptLogs"]).at(-1));
  const model = asText(logged["model"]) ?? asText(logged["modelTitle"]) ?? models.model;
  const position = {
    ...{ lane: at.lane, ts: at.ts ?? ts, key: at.recordKey },
    ...{ byteStart: at.byteStart ?? 0, byteEnd: at.byteEnd ?? 0 },
  };
  const found = drafts.map((draft): Draft => {
    if (draft.kind === "call") return { ...draft, ts: draft.ts ?? ts, model: draft.model ?? model };
    return draft.kind === "event" && draft.ts === null ? { ...draft, ts } : draft;
  });
  const said = asText(thought["text"]) ?? "";
  const isKnown = found.some((draft) => draft.kind === "event" && draft.body.type === "reasoning");
  if (call?.kind === "call" && said !== "" && !isKnown)
    found.unshift(eventAt(position, { type: "reasoning", text: said }, { callKey: call.key }));
  if (call !== undefined && model !== null && model !== models.model) found.unshift(patchOf(at.lane, { model }));
  if (call !== undefined) models.model = model;
  const summary = asText(item["conversationSummary"]) ?? "";
  if (summary !== "") {
    const sizes = { tokensBefore: null, tokensAfter: null };
    found.push(eventAt(position, { type: "compaction", kind: "full", trigger: null, ...sizes, text: summary }));
  }
  return found;
}

/** The sums that the command line keeps: of the whole session, a title and a summary among them. */
export function sessionTotals(told: Json, model: string | null): Draft[] {
  const usd = asCost(told["totalCost"]) ?? 0;
  const usage = providerUsage(told);
  if (usd <= 0 && usage === null) return [];
  return [
    { kind: "reported", lane: "", usd: usd > 0 ? usd : null, usage: usage === null ? {} : { [model ?? ""]: usage } },
  ];
}
