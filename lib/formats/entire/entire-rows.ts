// One line of Entire's transcript: what a person said, or an answer with its calls, each with its result inside.
import { NO_USAGE, type Draft, type SourceFile, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { cutFileName } from "../first-record-name.ts";
import { firstRecords } from "../first-records.ts";
import { asArray, asCount, asObject, asText, asTime, asWhole, clip, isObject, ownEntry, type Json } from "../json.ts";
import { eventAt, nameOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { unknownBody } from "../unknown-body.ts";

export type EntireState = { readonly id: string | null; hasStarted: boolean; hasTitle: boolean };

const NO_CACHE = "Entire's transcript leaves out what was read from the cache: prompts and cost are lower bounds.";

/** As Entire names them. */
const AGENTS: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "copilot-cli": "Copilot CLI",
  cursor: "Cursor",
  gemini: "Gemini CLI",
  "gemini-cli": "Gemini CLI",
  opencode: "OpenCode",
  pi: "pi",
};

export const isEntireRow = (row: Json): boolean =>
  typeof row["v"] === "number" &&
  typeof row["agent"] === "string" &&
  typeof row["cli_version"] === "string" &&
  typeof row["type"] === "string" &&
  row["payload"] === undefined;

/** No line names the session: it is known by its first line, which each later snapshot of it has too. */
export function startEntire(file: SourceFile): EntireState {
  const [first] = firstRecords(file.head);
  const id = first === undefined ? cutFileName(file) : printOf(jsonText([first["ts"], first["id"], first["content"]]));
  return { id, hasStarted: false, hasTitle: false };
}

export function entireDrafts(
  value: unknown,
  range: Pick<Position, "byteStart" | "byteEnd">,
  state: EntireState,
): Draft[] {
  const row = asObject(value);
  const at: Position = { lane: "", ts: asTime(row["ts"]), key: null, ...range };
  if (!isObject(value))
    return [eventAt(at, { type: "unknown", reason: "The line is JSON, but not an object.", text: jsonText(value) })];
  const started = startDrafts(row, at, state);
  if (row["type"] === "user") return [...started, ...userDrafts(row, at, state)];
  if (row["type"] === "assistant") return [...started, ...answerDrafts(row, at)];
  return [
    ...started,
    noteAt(at, clip(asText(row["type"]) ?? "record", 60), clip(jsonText(row["content"] ?? null), 1000)),
  ];
}

function startDrafts(row: Json, { ts }: Position, state: EntireState): Draft[] {
  if (state.hasStarted) return [];
  state.hasStarted = true;
  const agent = asText(row["agent"]) ?? "";
  return [
    patchOf("", {
      agentName: ownEntry(AGENTS, agent) ?? (clip(agent, 100) || "Entire"),
      quality: NO_CACHE,
      ...(ts !== null && { startedAt: ts }),
    }),
  ];
}

function userDrafts(row: Json, at: Position, state: EntireState): Draft[] {
  const blocks =
    typeof row["content"] === "string" ? [{ text: row["content"] }] : asArray(row["content"]).map(asObject);
  const text = blocks.flatMap((block) => asText(block["text"]) ?? []).join("\n");
  const others = blocks.filter((block) => asText(block["text"]) === null);
  const title =
    state.hasTitle || text.trim() === "" ? [] : [patchOf("", { title: clip(text.trim(), 300), titleRank: 0 })];
  state.hasTitle ||= title.length > 0;
  const said = text === "" ? [] : [eventAt(at, { type: "user", text }, { startsTurn: true })];
  const drafts = [...title, ...said, ...others.map((block) => eventAt(at, unknownBlock(block)))];
  return drafts.length > 0 ? drafts : [noteAt(at, "empty prompt", "")];
}

function answerDrafts(row: Json, at: Position): Draft[] {
  const key = asText(row["id"]) ?? nameOf(at);
  const content =
    typeof row["content"] === "string" ? [{ type: "text", text: row["content"] }] : asArray(row["content"]);
  const events = content.map(asObject).flatMap((block) => blockDrafts(block, at, key));
  const call: Draft = {
    ...{ kind: "call", lane: "", key, ts: at.ts, model: asText(row["model"]), usage: usageOf(row) },
    outputLowerBound: false,
  };
  return [...(events.length > 0 ? events : [noteAt(at, "empty answer", "", { callKey: key })]), call];
}

function blockDrafts(block: Json, at: Position, callKey: string): Draft[] {
  const own = (body: EventBody): Draft => eventAt(at, body, { callKey });
  const text = asText(block["text"]) ?? asText(block["thinking"]);
  if (block["type"] === "tool_use") {
    const toolCallId = asText(block["id"]);
    const call = own({
      ...{ type: "tool_call", toolCallId, toolName: asText(block["name"]) ?? "unnamed", input: block["input"] ?? {} },
    });
    return isObject(block["result"]) ? [call, eventAt(at, resultOf(block["result"], toolCallId))] : [call];
  }
  if (block["type"] === "thinking" && text !== null) return [own({ type: "reasoning", text })];
  return [own(block["type"] === "text" && text !== null ? { type: "assistant", text } : unknownBlock(block))];
}

function resultOf(result: Json, toolCallId: string | null): EventBody {
  const output = result["output"] ?? "";
  const text = typeof output === "string" ? output : jsonText(output);
  return { type: "tool_result", toolCallId, text, isError: result["status"] === "error", saw: "full" };
}

const unknownBlock = (block: Json): EventBody => unknownBody("block", asText(block["type"]) ?? "", block, 4000);

/** A message in several lines has its counts on each. */
function usageOf(row: Json): Usage | null {
  if (asWhole(row["input_tokens"]) === null && asWhole(row["output_tokens"]) === null) return null;
  return { ...NO_USAGE, inputUncached: asCount(row["input_tokens"]), output: asCount(row["output_tokens"]) };
}
