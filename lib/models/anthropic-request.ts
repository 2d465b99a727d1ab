// The Messages API, as Anthropic wrote it.
import { z } from "zod";
import type { Dialect } from "./model-dialect.ts";

const message = z.object({
  type: z.literal("message"),
  model: z.string().nullish(),
  stop_reason: z.string().nullish(),
  // Thoughts and calls of tools are blocks of their own: only text is looked at.
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
});

const CUT = new Set(["max_tokens", "model_context_window_exceeded"]);

export const anthropicDialect: Dialect = {
  headers: (apiKey) => ({ "anthropic-version": "2023-06-01", ...(apiKey === null ? {} : { "x-api-key": apiKey }) }),
  body: ({ system, user, model, maxOutputTokens }) => ({
    model,
    system,
    messages: [{ role: "user", content: user }],
    max_tokens: maxOutputTokens,
    stream: false,
  }),
  reply(answer) {
    const read = message.safeParse(answer);
    if (!read.success) return null;
    const { content, model, stop_reason: reason } = read.data;
    const text = content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
    const ended = reason === "refusal" ? "refused" : CUT.has(reason ?? "") ? "cut" : "whole";
    return { text, model: model ?? null, ended };
  },
};
