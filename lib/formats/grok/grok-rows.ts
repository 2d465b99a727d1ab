// One row of a Grok conversation as drafts. Rows name neither times nor requests: an answer is what the model wrote between two inputs.
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { callOf, inputOf, pieceOf, resultPiece } from "../messages/message-parts.ts";
import { eventAt, imagesOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { textIn, type GrokState } from "./grok-state.ts";

/** Calls of the provider's own that are remembered. */
const HOSTED = 32;

export function grokDrafts(value: unknown, range: Pick<Position, "byteStart" | "byteEnd">, state: GrokState): Draft[] {
  const position: Position = { lane: "", ts: null, key: null, ...range };
  if (!isObject(value)) {
    const text = clip(jsonText(value ?? null), 1000);
    return [eventAt(position, { type: "unknown", reason: "The line is JSON, but not an object.", text })];
  }
  return [...aboutDrafts(state), ...rowDrafts(value, position, state), ...sumDrafts(state)];
}

function aboutDrafts(state: GrokState): Draft[] {
  const told = jsonText(state.about);
  if (state.named === told) return [];
  state.named = told;
  const { title = null, cwd = null, branch = null, model = null, startedAt = null, parent = null } = state.about ?? {};
  const isSub = isSubagent(state);
  state.model ??= model;
  const patch: SessionPatch = {
    agentName: "Grok Build",
    quality: isSub
      ? "The session that began this sub-agent counts what it used."
      : "The file names neither times nor the tokens of a request.",
    ...(title !== null && { title: clip(title, 300), titleRank: 1 as const }),
    ...(cwd !== null && { cwd }),
    ...(branch !== null && { branch }),
    ...(model !== null && { model }),
    ...(startedAt !== null && { startedAt }),
    ...(parent !== null &&
      parent !== state.id && { parent, relation: isSub ? ("subagent" as const) : ("fork" as const) }),
  };
  return [patchOf("", patch)];
}

/** Its parent's turns hold what it used. */
const isSubagent = ({ about }: GrokState): boolean => about?.isSubagent === true;

/** The sums of the session's turns, told again whenever they have grown. */
function sumDrafts(state: GrokState): Draft[] {
  const { sums } = state;
  if (sums === null || isSubagent(state)) return [];
  const told = jsonText(sums);
  const isNews = told !== state.told;
  state.told = told;
  const usd = sums.usd > 0 ? sums.usd : null;
  return isNews ? [{ kind: "reported", lane: "", usd, usage: { ...sums.usage } }] : [];
}

function rowDrafts(row: Json, position: Position, state: GrokState): Draft[] {
  switch (row["type"]) {
    case "system":
      return [
        eventAt(position, { type: "system", subtype: "message", text: textIn(row["content"]) }),
        ...besideTexts(row["content"], position),
      ];
    case "user":
      return userDrafts(row, position, state);
    case "tool_result":
      return resultDrafts(row, position, state);
    case "reasoning":
      return pieceOf(row).flatMap((piece) =>
        piece.kind === "event" ? [eventAt(position, piece.body, { callKey: openAnswer(state) })] : [],
      );
    case "backend_tool_call":
      return hostedDrafts(asObject(row["kind"] ?? row), position, state);
    case "assistant":
      return answerDrafts(row, position, state);
  }
  const reason = `A row of type "${clip(asText(row["type"]) ?? "", 60)}", which is not known.`;
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(row), 1000) })];
}

/** The key of the answer that is written now. */
function openAnswer(state: GrokState): string {
  if (!state.isOpen) state.answers++;
  state.isOpen = true;
  return `n:${state.answers}`;
}

function userDrafts(row: Json, position: Position, state: GrokState): Draft[] {
  state.isOpen = false;
  const said = textIn(row["content"]);
  const reason = asText(row["synthetic_reason"]);
  const asked = /<user_query>\s*([\s\S]*?)\s*<\/user_query>/.exec(said)?.[1];
  const isFrame =
    asked === undefined && /^\s*<(?:user_info|git_status|system-reminder|agent_skills|mcp_servers)>/.test(said);
  const injected = reason !== null && reason !== "interjection" ? reason : isFrame ? "environment" : null;
  const title = injected === null && !state.hasTitle ? (asked ?? said).trim() : "";
  state.hasTitle ||= title !== "";
  if (injected === null) state.id ??= printOf(said);
  return [
    ...(title === "" ? [] : [patchOf("", { title: clip(title, 300), titleRank: 0 })]),
    eventAt(
      position,
      { type: "user", text: said, ...(injected !== null && { injected: clip(injected, 60) }) },
      { startsTurn: injected === null },
    ),
    ...besideTexts(row["content"], position),
  ];
}

/** Blocks of a content that are no text: images, and what is not known. */
function besideTexts(content: unknown, position: Position, callKey: string | null = null): Draft[] {
  return asArray(content)
    .filter((block) => isObject(block) && asText(block["text"]) === null)
    .flatMap(pieceOf)
    .flatMap((piece): Draft[] => {
      if (piece.kind === "event") return [eventAt(position, piece.body, { callKey })];
      const attachments = piece.kind === "image" ? [piece.attachment] : [];
      const text = piece.kind === "text" ? piece.text : "";
      const body: EventBody = {
        ...{ type: "user", text, injected: "file" },
        ...(attachments.length > 0 && { images: imagesOf(attachments) }),
      };
      return [eventAt(position, body, { attachments })];
    });
}

function resultDrafts(row: Json, position: Position, state: GrokState): Draft[] {
  state.isOpen = false;
  const id = asText(row["tool_call_id"]);
  const { ts = null, ms = null, isError = false } = state.done.get(id ?? "") ?? {};
  const piece = resultPiece(id, row["content"] ?? row["output"], isError || row["is_error"] === true);
  if (piece.kind !== "event" || piece.body.type !== "tool_result") return [noteAt(position, "tool_result", "")];
  const body: EventBody = { ...piece.body, ...(ms !== null && { detail: { durationMs: ms } }) };
  return [eventAt({ ...position, ts }, body, { attachments: piece.attachments ?? [] })];
}

function hostedDrafts(call: Json, position: Position, state: GrokState): Draft[] {
  const id = asText(call["id"]);
  if (id !== null) state.hosted = [...state.hosted, id].slice(-HOSTED);
  const body: EventBody = {
    type: "tool_call",
    toolCallId: id,
    toolName: asText(call["tool_type"]) ?? asText(call["name"]) ?? nameOfItem(asText(call["type"]) ?? ""),
    input: call["action"] ?? inputOf(call["input"] ?? call["code"]),
    hosted: true,
  };
  return [eventAt(position, body, { callKey: openAnswer(state) })];
}

const nameOfItem = (type: string): string => type.replace(/_call$/, "") || "unnamed";

function answerDrafts(row: Json, position: Position, state: GrokState): Draft[] {
  const callKey = openAnswer(state);
  const model = asText(row["model_id"]) ?? state.model;
  const text = textIn(row["content"]);
  const thought = asText(asObject(row["reasoning"])["text"]) ?? asText(row["reasoning_content"]) ?? "";
  const searches = asArray(row["raw_output"])
    .map(asObject)
    .filter(({ type, id }) => /^(?:web_search|code_interpreter)_call$/.test(asText(type) ?? "") && isNew(id, state));
  const calls = asArray(row["tool_calls"]).filter(isObject);
  const drafts: Draft[] = [
    ...(thought === "" ? [] : [eventAt(position, { type: "reasoning", text: thought }, { callKey })]),
    ...searches.flatMap((search) => hostedDrafts(search, position, state)),
    ...(text === "" ? [] : [eventAt(position, { type: "assistant", text }, { callKey })]),
    ...besideTexts(row["content"], position, callKey),
    ...calls.map((call) => eventAt(position, callOf(call), { callKey })),
  ];
  if (drafts.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  if (model !== null && model !== state.model) drafts.unshift(patchOf("", { model }));
  state.model = model;
  state.isOpen = false;
  return [...drafts, { kind: "call", lane: "", key: callKey, ts: null, model, usage: null, outputLowerBound: false }];
}

const isNew = (id: unknown, { hosted }: GrokState): boolean => !hosted.includes(asText(id) ?? "");
