// Chat completions, as OpenAI wrote them and many servers understand them.
import { z } from "zod";
import type { Dialect } from "./model-dialect.ts";

const part = z.object({ type: z.string(), text: z.string().optional() });

const completion = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          // Calls of tools may stand beside it: none were offered, and none are looked at.
          content: z.union([z.string(), z.array(part)]).nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
});

export const openaiDialect: Dialect = {
  headers: (apiKey): Record<string, string> => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  body: ({ system, user, model, maxOutputTokens, host }) => ({
    model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    stream: false,
    // Models that think refuse the old name; many other servers know no other.
    [/(^|\.)(openai|azure)\.com$/.test(host) ? "max_completion_tokens" : "max_tokens"]: maxOutputTokens,
  }),
  reply(answer) {
    const read = completion.safeParse(answer);
    if (!read.success) return null;
    const { message, finish_reason: reason } = read.data.choices[0]!;
    const { content, refusal } = message;
    const text =
      typeof content === "string"
        ? content
        : (content ?? []).map((one) => (one.type === "text" ? (one.text ?? "") : "")).join("");
    const isRefused = (refusal ?? "") !== "" || reason === "content_filter";
    return {
      text,
      model: read.data.model ?? null,
      ended: isRefused ? "refused" : reason === "length" ? "cut" : "whole",
      refusal: refusal ?? undefined,
    };
  },
};
