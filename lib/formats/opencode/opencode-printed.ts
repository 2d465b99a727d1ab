// One event of a run that OpenCode printed: a part of an answer, why the run failed, or its end.
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, clip, isObject, type Json } from "../json.ts";
import { asMs, draftOf, noteOf } from "./opencode-drafts.ts";
import { partDrafts, requestError } from "./opencode-parts.ts";
import type { OpenCodeState } from "./opencode-state.ts";

const QUALITY = "A printed run: its prompt, its model and sub-agents are not in it.";

export function printedDrafts(value: unknown, state: OpenCodeState): Draft[] {
  const event = asObject(value);
  const ts = asMs(event["timestamp"]);
  const part = asObject(event["part"]);
  const line = { ts: partTime(part) ?? ts, key: asText(part["id"]) };
  const start: Draft[] = state.hasTitle ? [] : [{ kind: "session", lane: "", patch: aboutRun(ts) }];
  // A run has no prompt: this is said once.
  state.hasTitle = true;
  if (!isObject(value)) {
    const text = clip(jsonText(value ?? null), 1000);
    return [...start, draftOf(line, { type: "unknown", reason: "A value that is not a JSON object.", text })];
  }
  if (event["type"] === "error")
    return [...start, draftOf(line, { type: "error", text: requestError(asObject(event["error"])) })];
  if (!isObject(event["part"]))
    return [...start, noteOf(line, clip(asText(event["type"]) ?? "event", 60), jsonText(event))];
  const id = asText(part["messageID"]) ?? `${state.id ?? ""}@${String(state.message?.id ?? ts)}`;
  if (state.message === null || (asText(part["messageID"]) !== null && state.message.id !== id))
    state.message = { id, role: "assistant", ts, model: null, isSummary: false, step: 0, hasPrompt: false };
  return [...start, ...partDrafts(part, line, state)];
}

const aboutRun = (startedAt: number | null) => ({
  agentName: "OpenCode",
  quality: QUALITY,
  ...(startedAt !== null && { startedAt }),
});

/** A part has the time of what it tells of. */
function partTime(part: Json): number | null {
  const times = [asObject(part["time"]), asObject(asObject(part["state"])["time"])];
  return times.map((time) => asMs(time["start"])).find((ts) => ts !== null) ?? null;
}
