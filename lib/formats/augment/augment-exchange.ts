// An exchange of Auggie: what was sent with one request, and what came back. A step of a turn that only sends results is one too.
import type { Attachment, Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { parseJson } from "../json-parts.ts";
import { imagesOf, printOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";

export type AugmentState = {
  readonly id: string | null;
  model: string | null;
  hasTitle: boolean;
  cwd: string | null;
};

/** What the document says of the session. It stands behind the exchanges, and is read before them. */
export function sessionDrafts(header: Json, state: AugmentState): Draft[] {
  const startedAt = asTime(header["created"]);
  const model = asText(asObject(header["agentState"])["modelId"])?.trim() || null;
  const title = (asText(header["customTitle"]) ?? asText(header["title"]))?.trim() ?? "";
  state.model = model;
  state.hasTitle = title !== "";
  const patch: SessionPatch = {
    agentName: "Auggie",
    ...(startedAt !== null && { startedAt }),
    ...(model !== null && { model }),
    ...(title !== "" && { title: clip(title, 300), titleRank: 1 as const }),
  };
  const entry: Entry = { ts: startedAt, key: null };
  const credits = asCost(header["creditUsage"]);
  return [
    { kind: "session", lane: "", patch },
    noteOf(entry, "session", state.id ?? ""),
    // Its own unit.
    ...(credits === null || credits === 0 ? [] : [noteOf(entry, "credits", `${credits} credits`)]),
  ];
}

export function exchangeDrafts(turn: Json, state: AugmentState): Draft[] {
  const exchange = asObject(turn["exchange"]);
  const sent = nodesIn(exchange["request_nodes"]);
  const got = nodesIn(exchange["response_nodes"]);
  const ts = asTime(turn["finishedAt"]);
  const key = asText(exchange["request_id"]) ?? printOf(jsonText(turn));
  const began = got.map((node) => asTime(node["timestamp_ms"])).find((time) => time !== null) ?? ts;
  return [
    ...folderDrafts(sent, state),
    ...requestDrafts(exchange, sent, { ts: began, key: `${key}/request` }, state),
    ...responseDrafts(exchange, got, { ts: ts ?? began, key }, state),
  ];
}

const nodesIn = (list: unknown): Json[] => asArray(list).filter(isObject);

/** The folder that the editor or the terminal was in. */
function folderDrafts(nodes: readonly Json[], state: AugmentState): Draft[] {
  for (const node of nodes) {
    const ide = asObject(node["ide_state_node"]);
    const [folder] = asArray(ide["workspace_folders"]).map(asObject);
    const terminal = asObject(ide["current_terminal"]);
    const names = [folder?.["folder_root"], folder?.["repository_root"], terminal["current_working_directory"]];
    const cwd = names.map(asText).find((name) => name !== null && name !== "") ?? null;
    if (cwd === null || cwd === state.cwd) continue;
    state.cwd = cwd;
    return [{ kind: "session", lane: "", patch: { cwd } }];
  }
  return [];
}

function requestDrafts(exchange: Json, nodes: readonly Json[], entry: Entry, state: AugmentState): Draft[] {
  const results = nodes.filter((node) => isObject(node["tool_result_node"]));
  const images = nodes.map((node) => imageOf(asObject(node["image_node"]))).filter((image) => image !== null);
  // The parts repeat the message, where it has one.
  const parts = nodes.map((node) => asText(asObject(node["text_node"])["content"]) ?? "").filter((text) => text !== "");
  const text =
    (asText(exchange["request_message"]) ?? "").trim() === "" ? parts.join("\n") : asText(exchange["request_message"])!;
  const drafts = results.map((node) => resultDraft(asObject(node["tool_result_node"]), entry));
  for (const node of nodes) {
    const summary = node["history_summary_node"];
    if (isObject(summary)) drafts.push(...summaryDrafts(summary, entry));
  }
  if (text.trim() === "" && images.length === 0) return drafts;
  const startsTurn = results.length === 0;
  if (startsTurn && !state.hasTitle && text.trim() !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } });
  }
  const body: EventBody = { type: "user", text, ...(images.length > 0 && { images: imagesOf(images) }) };
  return [...drafts, eventOf(entry, body, { attachments: images, startsTurn })];
}

/** Kinds of pictures, by its number of each. */
const PICTURES: Readonly<Record<number, string>> = { 1: "image/png", 2: "image/jpeg", 3: "image/gif", 4: "image/webp" };

function imageOf(node: Json): Attachment | null {
  const base64 = asText(node["image_data"]) ?? "";
  return base64 === "" ? null : { mediaType: PICTURES[asCount(node["format"])] ?? "image/png", base64 };
}

function resultDraft(result: Json, entry: Entry): Draft {
  const parts = nodesIn(result["content_nodes"]).flatMap((node) => asText(node["text_content"]) ?? []);
  const content = asText(result["content"]) ?? "";
  const body: EventBody = {
    ...{ type: "tool_result", toolCallId: asText(result["tool_use_id"]), saw: "full" },
    ...{ text: content === "" ? parts.join("\n") : content, isError: result["is_error"] === true },
  };
  return eventOf(entry, body);
}

function summaryDrafts(summary: Json, entry: Entry): Draft[] {
  const text = asText(summary["summary_text"]) ?? asText(summary["summary"]) ?? "";
  const nothing = { trigger: null, tokensBefore: null, tokensAfter: null };
  const about = eventOf(entry, { type: "compaction", kind: "full", ...nothing, text });
  return text === "" ? [about] : [about, eventOf(entry, { type: "user", text, injected: "summary" })];
}

function responseDrafts(exchange: Json, nodes: readonly Json[], entry: Entry, state: AugmentState): Draft[] {
  const callKey = entry.key;
  const drafts: Draft[] = [];
  for (const node of nodes) {
    const thought = asObject(node["thinking"]);
    const text = asText(thought["summary"]) ?? asText(thought["content"]) ?? "";
    if (text !== "") drafts.push(eventOf(entry, { type: "reasoning", text }, { callKey }));
  }
  // A node of type 0 is a piece of the text; later ones repeat it whole.
  const pieces = nodes.flatMap(({ type, content }) => (type === 0 ? [asText(content) ?? ""] : []));
  const text =
    (asText(exchange["response_text"]) ?? "").trim() === "" ? pieces.join("") : asText(exchange["response_text"])!;
  if (text.trim() !== "") drafts.push(eventOf(entry, { type: "assistant", text }, { callKey }));
  for (const call of callsIn(nodes)) drafts.push(eventOf(entry, call, { callKey }));
  const [first = null, ...others] = usagesIn(nodes);
  // Nothing came back.
  if (drafts.length === 0 && first === null) return [noteOf(entry, "exchange", "Without an answer.")];
  if (drafts.length === 0) drafts.push(noteOf(entry, "answer", "", callKey));
  const model = asText(exchange["model_id"])?.trim() || state.model;
  const callOf = (key: string, ts: number | null, usage: Usage | null): Draft => ({
    ...{ kind: "call", lane: "", key, ts, model, usage, outputLowerBound: false },
  });
  // The words are of the first request: which of them are of the others, no node says.
  const more = others.flatMap(({ ts, usage }, i) => {
    const key = `${callKey!}/${i + 2}`;
    return [noteOf({ ts: ts ?? entry.ts, key }, "request", "", key), callOf(key, ts ?? entry.ts, usage)];
  });
  return [...drafts, callOf(callKey!, entry.ts, first?.usage ?? null), ...more];
}

type Used = { readonly ts: number | null; readonly usage: Usage };

/** One for each request of the exchange; a node of the same counts repeats it, unless it tells another time. */
function usagesIn(nodes: readonly Json[]): Used[] {
  const used: Used[] = [];
  for (const node of nodes) {
    const usage = usageOf(asObject(node["token_usage"]));
    const ts = asTime(node["timestamp_ms"]);
    const same = (other: Used) => other.ts === null || ts === null || other.ts === ts;
    if (usage === null || used.some((other) => same(other) && jsonText(other.usage) === jsonText(usage))) continue;
    used.push({ ts, usage });
  }
  return used;
}

/** A call is announced before it is whole: the later node of the same name holds. */
function callsIn(nodes: readonly Json[]): EventBody[] {
  const calls = new Map<string, EventBody>();
  for (const [i, node] of nodes.entries()) {
    const use = node["tool_use"];
    if (!isObject(use)) continue;
    const toolCallId = asText(use["tool_use_id"]);
    const written = asText(use["input_json"]);
    const input = written === null ? (use["input"] ?? {}) : (parseJson(written) ?? written);
    const [server, tool] = [asText(use["mcp_server_name"]), asText(use["mcp_tool_name"])];
    const ofServer = server === null || tool === null ? null : `mcp__${server}__${tool}`;
    const toolName = asText(use["tool_name"]) ?? asText(use["name"]) ?? ofServer ?? "unnamed";
    calls.set(toolCallId ?? `#${i}`, { type: "tool_call", toolCallId, toolName, input });
  }
  return [...calls.values()];
}

const usageOf = (counts: Json): Usage | null =>
  disjointUsage({
    uncached: counts["input_tokens"],
    read: counts["cache_read_input_tokens"],
    write: counts["cache_creation_input_tokens"],
    output: counts["output_tokens"],
  });
