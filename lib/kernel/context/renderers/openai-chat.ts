// Messages of a Chat Completions request. Results hold text alone there: their images follow in a message of the user,
// after the last result, because nothing may stand between a call and its results.
import { jsonText } from "../../json-text.ts";
import { imageAddress, unreadable, type Media } from "./media.ts";
import type { Notes } from "./renderer-notes.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { callPart, mediaPart, resultPart, textParts } from "./parts.ts";
import type { Answer, Said, Step } from "./message-steps.ts";
import type { ChatCall, ChatMessage, ChatPart, ChatRequest } from "./provider-requests.ts";
import type { RenderedAs, RenderedRow, Renderer } from "./renderer-types.ts";

export const openaiChat: Renderer<"openai-chat"> = {
  id: "openai-chat",
  label: "OpenAI Chat Completions",
  // 64: what the service answers to longer ones (`string_above_max_length`); older deployments took 40.
  ids: { characters: null, maxLength: 64, unique: false },
  render: chatMessages,
};

/** Also what models without tools are sent: then no step has calls. */
export function chatMessages(steps: readonly Step[], options: RenderOptions, notes: Notes): RenderedAs<ChatRequest> {
  const rows = steps.flatMap((step) =>
    step.kind === "said" ? said(step, options, notes) : answer(step, options, notes),
  );
  return { request: { messages: rows.map(({ value }) => value) }, rows };
}

type ChatRow = RenderedRow<ChatMessage>;

function said(step: Said, options: RenderOptions, notes: Notes): ChatRow[] {
  const { role, text, media, seqs } = step;
  if (role === "user" && step.hasMedia) return userRow(text, media, seqs, notes);
  for (const one of media) notes.leaveOut(one.kind, `Chat Completions takes none from the ${role}.`);
  if (text === "") {
    if (step.reasoning !== "") notes.leaveOut("reasoning", ALONE);
    return [];
  }
  const reasoning = role === "assistant" ? reasoningOf(step, options, notes) : {};
  return [{ role, value: { role, content: text, ...reasoning }, parts: partsOf(text, reasoning), seqs }];
}

function answer(step: Answer, options: RenderOptions, notes: Notes): ChatRow[] {
  const reasoning = reasoningOf(step, options, notes);
  for (const one of step.media) notes.leaveOut(one.kind, "Chat Completions takes none from the assistant.");
  const tool_calls = step.calls.map((call): ChatCall => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: jsonText(call.arguments) },
  }));
  const value: ChatMessage = {
    role: "assistant",
    content: step.text === "" ? null : step.text,
    ...reasoning,
    tool_calls,
  };
  const results = step.results.map((result): ChatRow => ({
    role: "tool",
    value: { role: "tool", tool_call_id: result.id, content: result.output },
    parts: [resultPart(result)],
    seqs: result.seqs,
  }));
  const shown = step.results.flatMap(({ name, media, seqs }) =>
    media.length === 0 ? [] : userRow(`Attached to the result of ${name}:`, media, seqs, notes),
  );
  const parts = [...partsOf(step.text, reasoning), ...step.calls.map(callPart)];
  return [{ role: "assistant", value, parts, seqs: step.seqs }, ...results, ...shown];
}

const ALONE = "A message of reasoning alone cannot be sent.";

function reasoningOf(
  { reasoning }: Said | Answer,
  { withReasoning }: RenderOptions,
  notes: Notes,
): { reasoning_content?: string } {
  if (reasoning === "") return {};
  if (withReasoning === true) return { reasoning_content: reasoning };
  notes.leaveOut("reasoning", "Only some models of this interface accept it.");
  return {};
}

const partsOf = (text: string, { reasoning_content: reasoning }: { reasoning_content?: string }) => [
  ...(reasoning === undefined ? [] : [{ kind: "reasoning" as const, text: reasoning }]),
  ...textParts(text),
];

function userRow(text: string, media: readonly Media[], seqs: readonly number[], notes: Notes): ChatRow[] {
  const content: ChatPart[] = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...media.flatMap((one) => mediaContent(one, notes)),
  ];
  if (content.length === 0) return [];
  const parts = [...textParts(text), ...media.map(mediaPart)];
  return [{ role: "user", value: { role: "user", content }, parts, seqs }];
}

function mediaContent(media: Media, notes: Notes): ChatPart[] {
  if (media.form === "unknown") return [{ type: "text", text: unreadable(media) }];
  const url = imageAddress(media);
  if (url !== null) return [{ type: "image_url", image_url: { url } }];
  const format = media.kind === "audio" && media.form === "data" ? audioFormat(media.mimeType) : null;
  if (format !== null && media.form === "data")
    return [{ type: "input_audio", input_audio: { data: media.base64, format } }];
  notes.leaveOut(media.kind, "Chat Completions takes JPEG, PNG, GIF and WebP images, and sound as WAV or MP3 bytes.");
  return [];
}

function audioFormat(mimeType: string): "wav" | "mp3" | null {
  if (/^audio\/(?:wav|x-wav|wave|vnd\.wave)$/.test(mimeType)) return "wav";
  return /^audio\/(?:mpeg|mp3)$/.test(mimeType) ? "mp3" : null;
}
