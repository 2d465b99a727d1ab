// From the messages of a context to what a provider is sent. Pairs are repaired first, and nothing that cuts comes after:
// each call of a payload has exactly one result, whatever the log held.
import { fail } from "../errors.ts";
import { estimateTokens } from "../host.ts";
import { repairPairs } from "../log/repair.ts";
import type { Message } from "./message.ts";
import { RENDERERS } from "./renderers/index.ts";
import { LEAD_IN } from "./renderers/parts.ts";
import { Notes } from "./renderers/renderer-notes.ts";
import type { RenderOptions, ValueStyle } from "./renderers/renderer-options.ts";
import { stepsOf } from "./renderers/message-steps.ts";
import { textHistory } from "./renderers/text-history.ts";
import type { RenderedPayload, RenderedRow, Renderer, RendererId, RowPart } from "./renderers/renderer-types.ts";

/** Messages as a provider's request holds them. Its type is that of the renderer: an SDK takes it as it is. */
export function render<Id extends RendererId>(
  messages: readonly Message[],
  id: Id,
  options: RenderOptions = {},
): RenderedPayload<Id> {
  const renderer = rendererOf(id) as Renderer<Id>;
  const notes = new Notes();
  const repaired = repairPairs(messages, options.allowedTools === undefined ? {} : options);
  for (let i = 0; i < repaired.orphans; i++) notes.leaveOut("result", "Its call is not in the context.");
  for (let i = 0; i < repaired.duplicates; i++) notes.leaveOut("result", "Its call has one already.");
  for (let i = 0; i < repaired.droppedCalls; i++)
    notes.leaveOut("call", "It never ran, is not offered, repeats an id, or lacks an id, name or arguments.");
  const style = textStyle(renderer, options);
  const whole = style === null ? repaired.messages : textHistory(repaired.messages, style);
  const steps = stepsOf(led(whole, options), renderer.ids, options);
  return { ...renderer.render(steps, options, notes), renderer: id, leftOut: notes.all };
}

export function rendererOf(id: string): Renderer {
  const found = RENDERERS.find((renderer) => renderer.id === id);
  const known = RENDERERS.map((renderer) => renderer.id).join(", ");
  return found ?? fail("unsupported", `No renderer is called "${id.slice(0, 60)}". Known: ${known}.`);
}

/** Tool formats of the memory design: all but the first are plain words. */
export const TOOL_FORMATS = ["api_tool_call", "xml", "json", "sentinel"] as const;
export const toolHistoryOf = (format: (typeof TOOL_FORMATS)[number]): "native" | "text" =>
  format === "api_tool_call" ? "native" : "text";

/** How the first generation wrote values where it gave no native calls. */
const FIRST_GENERATION: Partial<Record<RendererId, ValueStyle>> = { anthropic: "spaced", gemini: "python" };

function textStyle({ id }: Renderer, { toolHistory, valueStyle, parity }: RenderOptions): ValueStyle | null {
  const first = parity === "autobyteus-gen1" ? FIRST_GENERATION[id] : undefined;
  if (first !== undefined) return first;
  return id === "text" || toolHistory === "text" ? (valueStyle ?? "json") : null;
}

function led(messages: readonly Message[], { startWithUser }: RenderOptions): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  if (startWithUser !== true || messages[first]?.role !== "assistant") return messages;
  return messages.toSpliced(first, 0, { role: "user", content: LEAD_IN, toolPayload: null });
}

export type PayloadMessage = RenderedRow & {
  /** The words of the parts that are words, one after the other. */
  readonly text: string;
  readonly tokens: number;
  /** `estimated`: nobody counted, or media are among the parts. */
  readonly origin: "counted" | "estimated";
};

/** Tokens of an image whose size nobody told: what a large one takes. */
const MEDIA_TOKENS = 1550;
const MEDIA = new Set<RowPart["kind"]>(["image", "audio", "video"]);

/** The payload's messages in their order, each with its tokens: of its words, without the provider's own framing. */
export function messagesOf(payload: RenderedPayload, count?: (text: string) => number): PayloadMessage[] {
  return payload.rows.map((row) => {
    const words = row.parts.filter(({ kind }) => !MEDIA.has(kind));
    const text = words.map((part) => part.text).join("\n");
    const media = row.parts.length - words.length;
    const counted = count === undefined ? estimateTokens(new TextEncoder().encode(text).length) : count(text);
    const origin = count === undefined || media > 0 ? "estimated" : "counted";
    return { ...row, text, tokens: counted + media * MEDIA_TOKENS, origin };
  });
}
