// Who a session is: `session_meta`, the bare first line of older files, `turn_context`, and compactions.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, asWhole } from "../json.ts";
import type { Json } from "../json.ts";
import { asName, markOf } from "./read.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { injectedAs, SUMMARY_START } from "./injected.ts";
import { INPUTS, message, messageMark } from "./messages.ts";
import { firstStep } from "./history-step.ts";
import { baseOf, recordKey, remember, startTurn } from "./codex-state.ts";
import type { CodexState } from "./codex-state.ts";
import { note } from "./usage.ts";

export const INHERITED = "May contain inherited turns: the file begins with a copy of its parent's history.";
export const BASED = "Goes on from a history in another file: prompts carry it, and events here do not show it.";
export const SUMMARY_ENCRYPTED = "A compaction's summary is encrypted: its text cannot be read.";

const patch = (of: SessionPatch): Draft[] =>
  Object.keys(of).length === 0 ? [] : [{ kind: "session", lane: "", patch: of }];

/** The first session_meta is the file's own; a later one with another id came with a copied history. */
export function sessionMeta(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const id = asName(payload["id"]) ?? asName(payload["session_id"]);
  const base = baseOf(payload);
  const own = base === null ? id : state.fileId;
  const origin: Origin = { ts, key: own === null ? null : `session/${own}` };
  if (state.id !== null && id !== state.id) return [meta(origin, "session_meta"), ...ofCopy(id, state)];
  const isFirst = state.id === null;
  state.id = id;
  const lineage = isFirst ? lineageOf(payload) : {};
  if (lineage.relation !== undefined) state.child = true;
  const copied = isFirst && (asWhole(payload["subagent_history_start_ordinal"]) ?? 0) > 1;
  const quality = isFirst && base !== null ? note(BASED, state) : copied ? note(INHERITED, state) : [];
  if (isFirst && id !== null && !state.bare) state.step = firstStep(asName(payload["forked_from_id"]) ?? id);
  const cwd = asText(payload["cwd"]);
  if (cwd !== null) state.hasCwd = true;
  const branch = asText(asObject(payload["git"])["branch"]);
  const agentVersion = asText(payload["cli_version"]);
  const begun = asTime(payload["timestamp"]);
  const startedAt = begun ?? ts;
  const drafts: Draft[] = [
    meta(origin, "session_meta"),
    ...patch({
      ...(cwd !== null && { cwd }),
      ...(branch !== null && { branch }),
      ...(agentVersion !== null && { agentVersion }),
      ...(isFirst && startedAt !== null && { startedAt: base === null ? startedAt : (ts ?? startedAt) }),
      // A fork has its parent's records at their times.
      ...(isFirst && base === null && begun !== null && { begunAt: begun }),
      ...lineage,
    }),
    ...quality,
  ];
  const instructions = asText(asObject(payload["base_instructions"])["text"]) ?? asText(payload["instructions"]);
  if (isFirst && instructions !== null && instructions !== "") {
    state.instructions = origin.key;
    drafts.push(event(origin, { type: "system", subtype: "base_instructions", text: instructions, role: "developer" }));
  }
  return drafts;
}

/** The head of a history that was copied: the last one before it names the session where it began, the first one the file's parent. */
function ofCopy(id: string | null, state: CodexState): Draft[] {
  const isNamed = state.child;
  if (id !== null && !state.begun && state.step !== null) {
    state.step = firstStep(id);
    state.child = true;
  }
  const lineage = id === null || isNamed || !state.child ? [] : patch({ relation: "fork", parent: id });
  return [...lineage, ...note(INHERITED, state)];
}

function lineageOf(payload: Json): SessionPatch {
  const continued = asName(payload[CONTINUES]);
  if (continued !== null) return { relation: "continuation", parent: continued };
  const source = asObject(payload["source"])["subagent"];
  const spawn = asObject(asObject(source)["thread_spawn"]);
  const parent = asName(spawn["parent_thread_id"]) ?? asName(payload["parent_thread_id"]);
  const forkedFrom = baseOf(payload) ?? asName(payload["forked_from_id"]);
  if (source !== undefined || parent !== null || payload["thread_source"] === "subagent")
    return { relation: "subagent", ...((parent ?? forkedFrom) !== null && { parent: parent ?? forkedFrom! }) };
  return forkedFrom === null ? {} : { relation: "fork", parent: forkedFrom };
}

export function turnContext(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const turn = asText(payload["turn_id"]);
  // It is said again within a turn: in a file whose first line is gone, the first may be of a turn that began before.
  const mayBeLater = state.id === null && state.turn === null;
  if (turn !== null && !mayBeLater) startTurn(state, turn);
  const model = asName(payload["model"]);
  const cwd = state.hasCwd ? null : asText(payload["cwd"]);
  if (cwd !== null) state.hasCwd = true;
  const changed = model !== null && model !== state.model;
  if (changed) state.model = model;
  setTier(payload, state);
  return [
    meta({ ts, key: recordKey(state, "turn_context", null) }, "turn_context", model ?? ""),
    ...patch({ ...(changed && { model }), ...(cwd !== null && { cwd }) }),
  ];
}

/** A context of a turn may name the tier; the settings of a thread always do, or have none. */
export function setTier(told: Json, state: CodexState): void {
  if (Object.hasOwn(told, "service_tier")) state.tier = asName(told["service_tier"]);
}

/**
 * A compaction. Its `replacement_history` repeats messages that are events already: none of them becomes one again. What Codex said
 * anew in it, instructions and the environment, does, where all the rest is known: then its order is the one of the new context.
 */
export function compacted(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const history = asArray(payload["replacement_history"]).map(asObject);
  const text = asText(payload["message"]) || summaryText(history);
  const encrypted = history.some((one) => one["type"] === "compaction" && asText(one["encrypted_content"]) !== null);
  // The instructions are sent with every request; a history does not repeat them.
  const instructions = state.instructions === null ? [] : [state.instructions];
  const origin = { ts, key: recordKey(state, "compacted", null) };
  const items = historyItems(history, text, state);
  const preserved = new Set([...instructions, ...items.flatMap(({ known }) => known ?? [])]);
  const isWhole = origin.key !== null && items.some((one) => one.isSummary) && items.every(isPlaced);
  const summary = event(origin, { type: "user", text, injected: "summary" });
  const behind = items.map(({ one, known, isSummary: is }) =>
    known !== null ? [] : is ? [summary] : isWhole ? message(one, origin, state).filter(isEvent) : [],
  );
  const order = items.flatMap(({ known }, i): (string | null)[] =>
    known !== null ? [known] : behind[i]!.map(() => null),
  );
  const body = {
    type: "compaction" as const,
    kind: "full" as const,
    trigger: asText(payload["trigger"]),
    tokensBefore: state.lastInput,
    tokensAfter: null,
    text,
    ...(preserved.size > 0 && { preserved: [...preserved] }),
    ...(isWhole && { order: [...instructions, ...order] }),
  };
  if (text !== "") remember(state.summaries, markOf(text), 2);
  const said = items.find(({ isSummary: is }) => is)?.one;
  if (origin.key !== null && said !== undefined) remember(state.inputs, summaryInput(origin.key, said), INPUTS);
  return [
    event(origin, body),
    ...(items.some(({ isSummary: is }) => is) || text === "" ? [] : [summary]),
    ...behind.flat(),
    ...(text === "" && encrypted ? note(SUMMARY_ENCRYPTED, state) : []),
  ];
}

const isEvent = ({ kind }: Draft): boolean => kind === "event";

type HistoryItem = {
  readonly one: Json;
  /** Key of the record that it repeats. */
  readonly known: string | null;
  readonly isSummary: boolean;
  /** No person's words: instructions and the environment of the turn that goes on. */
  readonly isSaidAnew: boolean;
};

const isPlaced = ({ known, isSummary: is, isSaidAnew }: HistoryItem): boolean => known !== null || is || isSaidAnew;

function historyItems(history: readonly Json[], summary: string, state: CodexState): HistoryItem[] {
  const last = summary === "" ? -1 : history.findLastIndex((one) => blockTexts(one).join("\n") === summary);
  return history.map((one, i): HistoryItem => {
    const isMessage = one["type"] === "message";
    const ending = `/m/${messageMark(one)}`;
    const known = isMessage && i !== last ? state.inputs.findLast((input) => input.endsWith(ending)) : undefined;
    const texts = blockTexts(one);
    const isOwn = one["role"] === "developer" || (one["role"] === "user" && texts.every(isInjected));
    return {
      one,
      known: known?.split(" ")[0] ?? null,
      isSummary: i === last,
      isSaidAnew: isMessage && texts.length > 0 && isOwn,
    };
  });
}

/** A summary stands in its compaction's record: one that the client did not write itself is a message to it, which it keeps. */
const summaryInput = (key: string, message: Json): string => `${key} /m/${messageMark(message)}`;

const firstText = (one: Json): string => asText(asObject(asArray(one["content"])[0])["text"]) ?? "";

const blockTexts = (one: Json): string[] =>
  asArray(one["content"]).map((block) => asText(asObject(block)["text"]) ?? "");

const isInjected = (text: string): boolean => injectedAs(text) !== null;

const isSummary = (one: Json): boolean => one["role"] === "user" && firstText(one).startsWith(SUMMARY_START);

const summaryText = (history: readonly Json[]): string => {
  const summary = history.findLast(isSummary);
  return summary === undefined ? "" : firstText(summary);
};
