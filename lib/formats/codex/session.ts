// Who a session is: `session_meta`, the bare first line of older files, `turn_context`, and compactions.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime } from "../json.ts";
import type { Json } from "../json.ts";
import { asName, markOf } from "./read.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { SUMMARY_START } from "./injected.ts";
import { messageMark } from "./messages.ts";
import { recordKey, remember, startTurn } from "./codex-state.ts";
import type { CodexState } from "./codex-state.ts";
import { note } from "./usage.ts";

export const INHERITED = "May contain inherited turns: the file begins with a copy of its parent's history.";
export const SUMMARY_ENCRYPTED = "A compaction's summary is encrypted: its text cannot be read.";

const patch = (of: SessionPatch): Draft[] =>
  Object.keys(of).length === 0 ? [] : [{ kind: "session", lane: "", patch: of }];

/** The first session_meta is the file's own; a later one with another id came with a copied history. */
export function sessionMeta(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const id = asName(payload["id"]) ?? asName(payload["session_id"]);
  const origin: Origin = { ts, key: id === null ? null : `session/${id}` };
  if (state.id !== null && id !== state.id) return [meta(origin, "session_meta"), ...note(INHERITED, state)];
  const isFirst = state.id === null;
  state.id = id;
  const lineage = isFirst ? lineageOf(payload) : {};
  if (lineage.relation !== undefined) state.child = true;
  const cwd = asText(payload["cwd"]);
  if (cwd !== null) state.hasCwd = true;
  const branch = asText(asObject(payload["git"])["branch"]);
  const agentVersion = asText(payload["cli_version"]);
  const startedAt = asTime(payload["timestamp"]) ?? ts;
  const drafts: Draft[] = [
    meta(origin, "session_meta"),
    ...patch({
      ...(cwd !== null && { cwd }),
      ...(branch !== null && { branch }),
      ...(agentVersion !== null && { agentVersion }),
      ...(isFirst && startedAt !== null && { startedAt }),
      ...lineage,
    }),
  ];
  const instructions = asText(asObject(payload["base_instructions"])["text"]) ?? asText(payload["instructions"]);
  if (isFirst && instructions !== null && instructions !== "") {
    state.instructions = origin.key;
    drafts.push(event(origin, { type: "system", subtype: "base_instructions", text: instructions, role: "developer" }));
  }
  return drafts;
}

function lineageOf(payload: Json): SessionPatch {
  const continued = asName(payload[CONTINUES]);
  if (continued !== null) return { relation: "continuation", parent: continued };
  const source = asObject(payload["source"])["subagent"];
  const spawn = asObject(asObject(source)["thread_spawn"]);
  const parent = asName(spawn["parent_thread_id"]) ?? asName(payload["parent_thread_id"]);
  const forkedFrom = asName(payload["forked_from_id"]);
  if (source !== undefined || parent !== null || payload["thread_source"] === "subagent")
    return { relation: "subagent", ...((parent ?? forkedFrom) !== null && { parent: parent ?? forkedFrom! }) };
  return forkedFrom === null ? {} : { relation: "fork", parent: forkedFrom };
}

export function turnContext(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const turn = asText(payload["turn_id"]);
  if (turn !== null) startTurn(state, turn);
  const model = asName(payload["model"]);
  const cwd = state.hasCwd ? null : asText(payload["cwd"]);
  if (cwd !== null) state.hasCwd = true;
  const changed = model !== null && model !== state.model;
  if (changed) state.model = model;
  return [
    meta({ ts, key: recordKey(state, "turn_context", null) }, "turn_context", model ?? ""),
    ...patch({ ...(changed && { model }), ...(cwd !== null && { cwd }) }),
  ];
}

/** A compaction. Its `replacement_history` repeats messages that are events already: none of them becomes one again. */
export function compacted(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const history = asArray(payload["replacement_history"]).map(asObject);
  const text = asText(payload["message"]) || summaryText(history);
  const encrypted = history.some((one) => one["type"] === "compaction" && asText(one["encrypted_content"]) !== null);
  // The instructions are sent with every request; a history does not repeat them.
  const preserved = [...(state.instructions === null ? [] : [state.instructions]), ...keptKeys(history, state)];
  const body = {
    type: "compaction" as const,
    kind: "full" as const,
    trigger: asText(payload["trigger"]),
    tokensBefore: state.lastInput,
    tokensAfter: null,
    text,
    ...(preserved.length > 0 && { preserved }),
  };
  const origin = { ts, key: recordKey(state, "compacted", null) };
  if (text !== "") remember(state.summaries, markOf(text), 2);
  return [
    event(origin, body),
    ...(text === "" ? [] : [event(origin, { type: "user", text, injected: "summary" })]),
    ...(text === "" && encrypted ? note(SUMMARY_ENCRYPTED, state) : []),
  ];
}

const firstText = (one: Json): string => asText(asObject(asArray(one["content"])[0])["text"]) ?? "";

const isSummary = (one: Json): boolean => one["role"] === "user" && firstText(one).startsWith(SUMMARY_START);

const summaryText = (history: readonly Json[]): string => {
  const summary = history.findLast(isSummary);
  return summary === undefined ? "" : firstText(summary);
};

/** Records whose words the new history repeats: they stay in the context as they are. */
function keptKeys(history: readonly Json[], state: CodexState): string[] {
  const keys = new Set<string>();
  for (const one of history) {
    if (one["type"] !== "message") continue;
    const ending = `/m/${messageMark(one)}`;
    const key = state.inputs.findLast((input) => input.endsWith(ending));
    if (key !== undefined) keys.add(key);
  }
  return [...keys];
}
