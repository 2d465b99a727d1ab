// System text and messages of an Anthropic request: roles take turns, all results of an answer open the one message of the
// user that follows it, and text is never empty.
import { commonImage, imageAddress, unreadable, type Media } from "./media.ts";
import type { Notes } from "./renderer-notes.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { callPart, LEAD_IN, mediaPart, resultPart, textParts } from "./parts.ts";
import type { Answer, Call, Result, Step } from "./message-steps.ts";
import type {
  AnthropicBlock,
  AnthropicCall,
  AnthropicImage,
  AnthropicMessage,
  AnthropicResult,
  AnthropicText,
  AnthropicThinking,
} from "./provider-requests.ts";
import type { Rendered, RenderedRow, Renderer, RowPart } from "./renderer-types.ts";
import { copyOf, isObject, type JsonObject } from "./values.ts";

type Role = AnthropicMessage["role"];
type Turn = { role: Role; blocks: AnthropicBlock[]; parts: RowPart[]; seqs: number[] };

export const anthropic: Renderer<"anthropic"> = {
  id: "anthropic",
  label: "Anthropic Messages",
  ids: { characters: /[A-Za-z0-9_-]/, maxLength: 64, unique: true },
  render(steps: readonly Step[], options: RenderOptions, notes: Notes): Rendered<"anthropic"> {
    const isOurs = options.parity === undefined;
    const system = steps.filter(
      (step) => isOurs && step.kind === "said" && step.role === "system" && isText(step.text),
    );
    const turns = steps.filter((step) => !system.includes(step)).flatMap((step) => turnsOf(step, options, notes));
    const rows = (isOurs ? begun(merged(turns)) : turns).map(rowOf);
    const text = system.map((step) => step.text).join("\n\n");
    const systemRows = system.map((step): RenderedRow => ({
      role: "system",
      value: step.text,
      parts: textParts(step.text),
      seqs: step.seqs,
    }));
    const request = { ...(system.length > 0 && { system: text }), messages: rows.map(({ value }) => value) };
    return { request, rows: [...systemRows, ...rows] };
  },
};

const isText = (text: string): boolean => text.trim() !== "";
const textBlocks = (text: string): AnthropicText[] => (isText(text) ? [{ type: "text", text }] : []);

function turnsOf(step: Step, { parity }: RenderOptions, notes: Notes): Turn[] {
  if (step.kind === "answer") return answerTurns(step, notes);
  if (step.reasoning !== "") notes.leaveOut("reasoning", UNSIGNED);
  // The first generation sent a role that the interface does not know.
  const system = (parity === "autobyteus-gen1" ? "system" : "user") as Role;
  const role = step.role === "system" ? system : step.role;
  const media = role === "assistant" ? [] : step.media.flatMap((one) => mediaBlocks(one, notes));
  if (role === "assistant")
    for (const one of step.media) notes.leaveOut(one.kind, "Anthropic takes none from the assistant.");
  const blocks = [...textBlocks(step.text), ...media];
  const parts = [...textParts(step.text), ...(role === "assistant" ? [] : step.media.map(mediaPart))];
  return blocks.length === 0 ? [] : [{ role, blocks, parts, seqs: [...step.seqs] }];
}

const UNSIGNED = "Thinking is taken back with its signature only.";

function answerTurns(step: Answer, notes: Notes): Turn[] {
  const thinking = signedThinking(step.calls);
  if (step.reasoning !== "" && thinking.length === 0) notes.leaveOut("reasoning", UNSIGNED);
  for (const one of step.media) notes.leaveOut(one.kind, "Anthropic takes none from the assistant.");
  return [
    {
      role: "assistant",
      blocks: [...thinking, ...textBlocks(step.text), ...step.calls.map(callBlock)],
      parts: [...thinking.map(thinkingPart), ...textParts(step.text), ...step.calls.map(callPart)],
      seqs: [...step.seqs],
    },
    {
      role: "user",
      blocks: step.results.map((result) => resultBlock(result, notes)),
      parts: step.results.flatMap((result) => [resultPart(result), ...result.media.map(mediaPart)]),
      seqs: step.results.flatMap(({ seqs }) => seqs),
    },
  ];
}

/**
 * Where the model thinks before it calls, the service asks for these blocks again, unchanged: an answer without them is refused.
 * Each call of an answer may carry the answer's blocks.
 */
function signedThinking(calls: readonly Call[]): AnthropicThinking[] {
  const found = calls.map(({ native }) => anthropicContext(native)["messageContent"]).find(Array.isArray) ?? [];
  return (found as readonly unknown[]).flatMap((block): AnthropicThinking[] => {
    if (!isObject(block)) return [];
    const { type, thinking, signature, data } = copyOf(block) as JsonObject;
    if (type === "thinking" && typeof thinking === "string" && typeof signature === "string" && signature !== "")
      return [{ type, thinking, signature }];
    return type === "redacted_thinking" && typeof data === "string" && data !== "" ? [{ type, data }] : [];
  });
}

const thinkingPart = (block: AnthropicThinking): RowPart => ({
  kind: block.type === "thinking" ? "reasoning" : "native",
  text: block.type === "thinking" ? block.thinking : block.data,
});

const anthropicContext = (native: unknown): Readonly<Record<string, unknown>> =>
  isObject(native) && native["provider"] === "anthropic" ? native : {};

function callBlock({ id, name, arguments: input, native }: Call): AnthropicCall {
  const block = anthropicContext(native)["toolUseBlock"];
  const captured = isObject(block) ? (copyOf(block) as JsonObject) : {};
  return { ...captured, type: "tool_use", id, name, input };
}

function resultBlock({ id, output, error, media }: Result, notes: Notes): AnthropicResult {
  const shown = media.flatMap((one) => mediaBlocks(one, notes));
  const content = shown.length === 0 ? output : [...textBlocks(output), ...shown];
  return { type: "tool_result", tool_use_id: id, content, ...(error !== null && { is_error: true }) };
}

function mediaBlocks(media: Media, notes: Notes): (AnthropicText | AnthropicImage)[] {
  if (media.form === "unknown") return textBlocks(unreadable(media));
  const type = commonImage(media);
  if (type !== null && media.form === "data")
    return [{ type: "image", source: { type: "base64", media_type: type, data: media.base64 } }];
  const url = imageAddress(media);
  if (url?.startsWith("https:") === true) return [{ type: "image", source: { type: "url", url } }];
  notes.leaveOut(media.kind, "Anthropic takes images as JPEG, PNG, GIF or WebP.");
  return [];
}

/** Neighbours of one role become one message. */
function merged(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last?.role !== turn.role) all.push({ ...turn, blocks: [...turn.blocks], parts: [...turn.parts] });
    else {
      last.blocks.push(...turn.blocks);
      last.parts.push(...turn.parts);
      last.seqs = [...last.seqs, ...turn.seqs];
    }
  }
  return all;
}

/** The first message is the user's: of a log that begins with an answer what came before is told in a few words. */
const begun = (turns: readonly Turn[]): readonly Turn[] =>
  turns[0]?.role === "assistant"
    ? [{ role: "user", blocks: textBlocks(LEAD_IN), parts: textParts(LEAD_IN), seqs: [] }, ...turns]
    : turns;

function rowOf({ role, blocks, parts, seqs }: Turn): RenderedRow<AnthropicMessage> {
  const [only] = blocks;
  const content = blocks.length === 1 && only?.type === "text" ? only.text : blocks;
  return { role, value: { role, content }, parts, seqs };
}
