// Messages of Amp that are of no person and no model: a summary of all before, a command that a person ran beside the agent, notes.
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, type Json } from "../json.ts";
import { eventAt, noteAt, type EventDraft, type Position } from "../placed-drafts.ts";

/** In the position of what was read of the message; null for one of a person or a model. */
export function infoDrafts({ role, content }: Json, drafts: readonly Draft[]): Draft[] | null {
  const at = drafts.find((draft): draft is EventDraft => draft.kind === "event");
  if (role !== "info" || at === undefined) return null;
  const { lane, ts, recordKey: key, byteStart = 0, byteEnd = 0 } = at;
  const position: Position = { lane, ts, key, byteStart, byteEnd };
  const said = asArray(content).flatMap((block) => blockDrafts(asObject(block), position));
  return said.length > 0 ? said : [noteAt(position, "info", "")];
}

function blockDrafts(block: Json, position: Position): Draft[] {
  const text = asText(block["text"]) ?? "";
  switch (block["type"]) {
    case "summary":
      return summaryDrafts(asText(asObject(block["summary"])["summary"]) ?? "", position);
    case "manual_bash_invocation":
      // The model does not see one that is hidden.
      return block["hidden"] === true
        ? [noteAt(position, "shell", shellText(block))]
        : [eventAt(position, { type: "user", text: shellText(block), injected: "shell" })];
    case "text":
      return text === "" ? [] : [eventAt(position, { type: "user", text, injected: "info" })];
  }
  return [noteAt(position, "info", clip(jsonText(block), 1000))];
}

function summaryDrafts(text: string, position: Position): Draft[] {
  const sizes = { tokensBefore: null, tokensAfter: null };
  return [
    eventAt(position, { type: "compaction", kind: "full", trigger: null, ...sizes, text }),
    ...(text === "" ? [] : [eventAt(position, { type: "user", text, injected: "summary" })]),
  ];
}

function shellText({ args, toolRun }: Json): string {
  const run = asObject(toolRun);
  const { output, exitCode } = asObject(run["result"]);
  const said = asText(output) ?? asText(run["result"]) ?? asText(asObject(run["error"])["message"]) ?? "";
  const end = typeof exitCode === "number" ? [`(exit code ${exitCode})`] : [];
  return [`$ ${asText(asObject(args)["cmd"]) ?? ""}`, said, ...end].filter((line) => line !== "").join("\n");
}
