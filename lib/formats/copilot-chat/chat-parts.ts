// What VS Code shows of an answer, part by part. Where the extension stored its model calls, they say more than the parts with their
// words and tools; else the parts are all there is: of early releases, of other participants, and of a request that still runs.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, noteAt, type Position } from "../placed-drafts.ts";
import { detailOf, type ShownCall } from "./chat-rounds.ts";
import { pathOfParts } from "./chat-state.ts";

/** Parts that say nothing of the conversation. */
const MARKS: ReadonlySet<string> = new Set([
  ...["undoStop", "codeblockUri", "mcpServersStarting", "prepareToolInvocation", "autoModeResolution", "voiceProgress"],
  ...["clearToPreviousToolInvocation", "usedContext", "reference", "codeCitation", "toolInvocation"],
]);
/** Parts that say something beside the answer. */
const NOTES: ReadonlySet<string> = new Set([
  ...["progressMessage", "progressTask", "progressTaskSerialized", "progressTaskResult", "warning", "info"],
  ...["systemNotification", "confirmation", "elicitation", "elicitation2", "elicitationSerialized", "questionCarousel"],
  ...["planReview", "command", "treeData", "multiDiffData", "extensions", "pullRequest", "hook", "workspaceEdit"],
  ...["externalEdit", "externalEdits", "disabledClaudeHooks", "mcpAuthenticationRequired", "move", "progress"],
]);
const EDITS: ReadonlySet<string> = new Set(["textEditGroup", "notebookEditGroup", "textEdit", "notebookEdit"]);
/** Characters of an edit that its note shows. */
const EDIT_CHARS = 4000;

export const isTool = (part: Json): boolean => part["kind"] === "toolInvocationSerialized";

/** A text with its format, or bare. */
export const wordsOfPart = (value: unknown): string => asText(value) ?? asText(asObject(value)["value"]) ?? "";

/** The words that a part adds to the answer; null for a part of another kind. */
function saidBy(part: unknown): string | null {
  if (typeof part === "string") return part;
  const { kind, value, content } = asObject(part);
  if (kind === undefined || kind === "markdownContent" || kind === "markdownVuln")
    return typeof value === "string" ? value : isObject(content) ? wordsOfPart(content) : asText(content);
  if (kind !== "inlineReference") return null;
  const { inlineReference: found, name } = asObject(part);
  const path = pathOfParts(asObject(found)["uri"] ?? asObject(asObject(found)["location"])["uri"] ?? found);
  const label = asText(name) ?? asText(asObject(found)["name"]) ?? path?.split(/[\\/]/).at(-1);
  return label === undefined ? null : `\`${label}\``;
}

/** Edits, what is shown beside the answer, and what is not known: what no model call says. */
export function besideDrafts(parts: readonly unknown[], position: Position): Draft[] {
  return parts.flatMap((part): Draft[] => {
    if (saidBy(part) !== null) return [];
    const value = asObject(part);
    const kind = asText(value["kind"]) ?? "";
    if (kind === "thinking" || MARKS.has(kind) || isTool(value)) return [];
    if (EDITS.has(kind)) return [editDraft(value, position)];
    if (NOTES.has(kind)) return [noteAt(position, kind, clip(noteText(value), 1000))];
    const reason = `A part of kind "${clip(kind, 60)}", which is not known.`;
    return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(part ?? null), 1000) })];
  });
}

function noteText(value: Json): string {
  for (const key of ["content", "message", "title", "value", "systemMessage"]) {
    const text = wordsOfPart(value[key]);
    if (text !== "") return text;
  }
  const { kind: _, ...rest } = value;
  return jsonText(rest);
}

function editDraft(value: Json, position: Position): Draft {
  const texts = asArray(value["edits"]).flatMap((batch) =>
    (Array.isArray(batch) ? batch : [batch]).flatMap((edit) => asText(asObject(edit)["text"]) ?? []),
  );
  const name = pathOfParts(value["uri"]) ?? "";
  return noteAt(position, "edit", clip(texts.join("\n"), EDIT_CHARS), name === "" ? {} : { name });
}

/** The whole answer, by its parts. */
export function partDrafts(
  parts: readonly unknown[],
  position: Position,
  callKey: string,
  toolIds: Set<string>,
): Draft[] {
  const drafts: Draft[] = [];
  let text = "";
  const add = (body: EventBody): void => void drafts.push(eventAt(position, body, { callKey }));
  const say = (): void => {
    if (text.trim() !== "") add({ type: "assistant", text });
    text = "";
  };
  for (const [i, part] of parts.entries()) {
    const words = saidBy(part);
    if (words !== null) {
      text += words;
      continue;
    }
    const value = asObject(part);
    if (value["kind"] === "thinking") {
      const thought = [value["value"]]
        .flat()
        .filter((one) => typeof one === "string")
        .join("");
      if (thought === "") continue;
      say();
      add({ type: "reasoning", text: thought });
    } else if (isTool(value)) {
      if (isOfSubAgent(value)) continue;
      say();
      const given = asText(value["toolCallId"]) ?? "";
      const id = given === "" || toolIds.has(given) ? `${position.key ?? ""}/${i}` : given;
      toolIds.add(id);
      drafts.push(...toolDrafts(value, id, position, callKey));
    } else {
      const beside = besideDrafts([part], position);
      if (beside.length > 0) say();
      drafts.push(...beside);
    }
  }
  say();
  return drafts;
}

export const isOfSubAgent = (part: Json): boolean => (asText(part["subAgentInvocationId"]) ?? "") !== "";

/** A call and its result, as they are shown: arguments are there for a few tools alone, and outputs cut. */
export function toolDrafts(part: Json, id: string, position: Position, callKey: string | null): Draft[] {
  const data = asObject(part["toolSpecificData"]);
  const call: EventBody = {
    type: "tool_call",
    toolCallId: id,
    toolName: asText(part["toolId"]) ?? "unnamed",
    input: shownInput(part, data),
  };
  const drafts: Draft[] = [eventAt(position, call, callKey === null ? {} : { callKey })];
  if (part["isComplete"] === false) return drafts;
  const { text, isError } = shownOutput(part, data);
  const detail = detailOf({ part, data } satisfies ShownCall);
  const result: EventBody = {
    type: "tool_result",
    toolCallId: id,
    text,
    isError,
    saw: "preview",
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return [...drafts, eventAt({ ...position, ts: null }, result)];
}

function shownInput(part: Json, data: Json): unknown {
  const { commandLine, command, rawInput, prompt, agentName } = data;
  const line = asText(asObject(commandLine)["original"]) ?? asText(commandLine) ?? asText(command);
  if (line !== null) return { command: line };
  if (rawInput !== undefined) return rawInput;
  if (typeof prompt === "string") return { prompt, ...(typeof agentName === "string" && { agentName }) };
  const input = asText(asObject(part["resultDetails"])["input"]);
  if (input !== null) return { input };
  const said = wordsOfPart(part["invocationMessage"]);
  return said === "" ? {} : { shown: said };
}

function shownOutput(part: Json, data: Json): { readonly text: string; readonly isError: boolean } {
  const details = asObject(part["resultDetails"]);
  const outputs = Array.isArray(details["output"]) ? details["output"] : [details["output"]];
  const texts = outputs.flatMap((one) => asText(one) ?? asText(asObject(one)["value"]) ?? []);
  const terminal = asText(asObject(data["terminalCommandOutput"])["text"]) ?? asText(asObject(data["output"])["text"]);
  const text =
    texts.join("\n") || (terminal ?? asText(data["result"]) ?? "") || wordsOfPart(part["pastTenseMessage"]) || "";
  return { text, isError: details["isError"] === true };
}
