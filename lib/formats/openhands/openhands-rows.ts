// Rows of a conversation that is a file for each event: the events with the tokens of their answers, and the sums of the conversation.
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, clip, isObject, type Json } from "../json.ts";
import { noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { timeOf, type HandsRun } from "./hands-run.ts";
import { totalsDraft, usageOfCounts } from "./openhands-metrics.ts";

const EVENT = "openhands_event";
const STATE = "openhands_state";

export const isRow = ({ table, row }: Json): boolean => (table === EVENT || table === STATE) && isObject(row);

export const eventOfRow = ({ row }: Json): Json => asObject(asObject(row)["event"]);

/** `read`: the drafts of an event as they stand in any stream. */
export function rowDrafts(line: Json, position: Position, run: HandsRun, read: (event: Json) => Draft[]): Draft[] {
  const row = asObject(line["row"]);
  if (line["table"] === STATE) return stateRow(row, position, run);
  const event = eventOfRow(line);
  const usage = isObject(row["usage"]) ? usageOfCounts(row["usage"]) : null;
  const key = asText(event["llm_response_id"]);
  run.responses = usage === null || key === null ? [] : [[key, usage]];
  if (usage === null || key === null) return read(event);
  const model = asText(asObject(row["usage"])["model"]);
  // What condensed is another model's call, and no answer.
  if (event["kind"] === "Condensation") {
    const of = { lane: run.lane, key, ts: timeOf(event["timestamp"]), model, usage, outputLowerBound: false };
    return [...read(event), { kind: "call", ...of }];
  }
  if (model === null || run.model !== null) return read(event);
  run.model = model;
  return [patchOf(run.lane, { model }), ...read(event)];
}

function stateRow(row: Json, position: Position, run: HandsRun): Draft[] {
  const [model, cwd] = [asText(row["model"]), asText(row["cwd"])];
  const sums = Object.entries(asObject(row["usage_to_metrics"])).filter((one): one is [string, Json] =>
    isObject(one[1]),
  );
  return [
    patchOf(run.lane, { ...(cwd !== null && { cwd }), ...(model !== null && run.model === null && { model }) }),
    noteAt(position, "state", clip(jsonText(row), 1000)),
    ...totalsDraft(sums, run),
  ];
}
