// The parts of a message of Crush, each as an event.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asObject, asText, clip, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";

export type CrushState = { id: string | null; model: string | null; hasTitle: boolean };

/** Ends of an answer that a person sees as an error. */
const FAILED: ReadonlySet<string> = new Set(["error", "canceled", "content_filter"]);

export function crushPart(
  part: Json,
  role: string,
  isSummary: boolean,
  entry: Entry,
  callKey: string | null,
  state: CrushState,
): Draft[] {
  const data = asObject(part["data"]);
  const own = callKey === null ? {} : { callKey };
  const text = asText(data["text"]) ?? "";
  const type = asText(part["type"]) ?? "";
  switch (type) {
    case "text": {
      if (isSummary) return summaryDrafts(text, entry, own);
      if (role === "assistant") return text === "" ? [] : [eventOf(entry, { type: "assistant", text }, own)];
      if (role === "system") return [eventOf(entry, { type: "system", subtype: "prompt", text })];
      // Words of Crush's own that go on with a turn.
      if (data["hidden"] === true) return [eventOf(entry, { type: "user", text, injected: "continuation" })];
      const title: Draft[] = state.hasTitle
        ? []
        : [{ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } }];
      state.hasTitle = true;
      return [...title, eventOf(entry, { type: "user", text }, { startsTurn: true })];
    }
    case "reasoning": {
      const sealed = asText(asObject(data["responses_data"])["encrypted_content"]) ?? "";
      const signatureChars = (asText(data["signature"]) ?? "").length || sealed.length;
      const thought = asText(data["thinking"]) ?? "";
      const encrypted = sealed === "" ? {} : { encrypted: true };
      return [eventOf(entry, { type: "reasoning", text: thought, signatureChars, ...encrypted }, own)];
    }
    case "tool_call":
      return [eventOf(entry, callBody(data), own)];
    case "tool_result":
      return [resultDraft(data, entry)];
    case "finish": {
      const reason = asText(data["reason"]) ?? "";
      if (!FAILED.has(reason)) return [noteOf(entry, "finish", reason, callKey)];
      const words = [data["message"], data["details"]]
        .filter((one) => typeof one === "string" && one !== "")
        .join(": ");
      return [eventOf(entry, { type: "error", text: words || reason, code: reason })];
    }
    case "binary":
      return [fileDraft(data, role, entry)];
    case "shell_command":
      return [eventOf(entry, { type: "user", text: shellText(data), injected: "shell" })];
    case "image_url":
      return [noteOf(entry, "image", clip(asText(data["url"]) ?? "", 100))];
  }
  return [eventOf(entry, unknownBody("part", type, part), own)];
}

/** Images and texts are sent to the model. */
function fileDraft(data: Json, role: string, entry: Entry): Draft {
  const mediaType = asText(data["MIMEType"]) ?? asText(data["mime_type"]) ?? "";
  const base64 = asText(data["Data"]) ?? asText(data["data"]);
  if (role !== "user" || base64 === null) return noteOf(entry, "file", mediaType);
  if (mediaType.startsWith("text/")) {
    const text = [asText(data["Path"]) ?? "", Buffer.from(base64, "base64").toString()].join("\n");
    return eventOf(entry, { type: "user", text, injected: "file" });
  }
  if (!mediaType.startsWith("image/")) return noteOf(entry, "file", mediaType);
  const images = [{ mediaType, attachment: 0, artifact: null, width: null, height: null }];
  const body: EventBody = { type: "user", text: "", images, injected: "file" };
  return eventOf(entry, body, { attachments: [{ mediaType, base64 }] });
}

/** A command that a person ran beside the agent: the model sees it with the prompt. */
function shellText({ command, output, exit_code: code }: Json): string {
  const end = typeof code === "number" ? [`(exit code ${code})`] : [];
  return [`$ ${asText(command) ?? ""}`, asText(output) ?? "", ...end].join("\n");
}

function summaryDrafts(text: string, entry: Entry, own: { readonly callKey?: string }): Draft[] {
  const nothing = { trigger: null, tokensBefore: null, tokensAfter: null };
  return [
    eventOf(entry, { type: "compaction", kind: "full", ...nothing, text }, own),
    eventOf(entry, { type: "user", text, injected: "summary" }),
  ];
}

function callBody(data: Json): EventBody {
  const told = asText(data["input"]) ?? "";
  let input: unknown = told;
  try {
    input = JSON.parse(told);
  } catch {
    // A call that was cut off stands as its text.
  }
  const toolName = asText(data["name"]) ?? "unnamed";
  const hosted = data["provider_executed"] === true ? { hosted: true } : {};
  return { type: "tool_call", toolCallId: asText(data["id"]), toolName, input, ...hosted };
}

function resultDraft(data: Json, entry: Entry): Draft {
  const [mediaType, base64] = [asText(data["mime_type"]) ?? "", asText(data["data"]) ?? ""];
  const hasImage = mediaType.startsWith("image/") && base64 !== "";
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(data["tool_call_id"]),
    text: asText(data["content"]) ?? "",
    isError: data["is_error"] === true,
    saw: "full",
    ...(hasImage && { images: [{ mediaType, attachment: 0, artifact: null, width: null, height: null }] }),
  };
  return eventOf(entry, body, hasImage ? { attachments: [{ mediaType, base64 }] } : {});
}
