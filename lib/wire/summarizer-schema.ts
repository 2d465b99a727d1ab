// The model that summarises where a person set one up: `off` until then. Its key goes in and never comes out.
import { z } from "zod";
import { baseUrlProblem, MODEL_KINDS } from "#lib/kernel/model-endpoint.ts";

export const SUMMARIZER_KINDS = ["off", ...MODEL_KINDS] as const;
export type SummarizerKind = (typeof SUMMARIZER_KINDS)[number];

export const KEY_CHARS = 4096;

/** `apiKey`: absent keeps the key that is there, null removes it. Another base URL removes it in any case. */
export const summarizerRequest = z
  .strictObject({
    kind: z.enum(SUMMARIZER_KINDS),
    baseUrl: z.string().trim().max(2000).default(""),
    model: z
      .string()
      .trim()
      .max(200)
      .regex(/^\P{Cc}*$/u, "holds a control character")
      .default(""),
    // What a header can carry, and nothing that would begin another one.
    apiKey: z
      .string()
      .trim()
      .regex(/^[!-~]+$/, "is empty, or has invalid characters")
      .max(KEY_CHARS)
      .nullish(),
  })
  .superRefine(({ kind, baseUrl, model, apiKey }, context) => {
    const isOff = kind === "off";
    const problem = isOff && baseUrl === "" ? null : baseUrlProblem(baseUrl);
    if (problem !== null) context.addIssue({ code: "custom", path: ["baseUrl"], message: problem });
    if (!isOff && model === "") context.addIssue({ code: "custom", path: ["model"], message: "Name the model." });
    if (baseUrl === "" && apiKey != null)
      context.addIssue({ code: "custom", path: ["apiKey"], message: "A key belongs to one base URL. Name it." });
  });
export type SummarizerRequest = z.input<typeof summarizerRequest>;

export const summarizerAnswer = z.object({
  kind: z.enum(SUMMARIZER_KINDS),
  baseUrl: z.string(),
  model: z.string(),
  /** `last4` of keys that are long enough to spare four characters. */
  key: z.object({ isSet: z.boolean(), last4: z.string().nullable() }),
  /** The address that is asked; null while nothing is. */
  sentTo: z.string().nullable(),
});
export type SummarizerAnswer = z.infer<typeof summarizerAnswer>;

export const triedSummarizer = z.object({
  said: z.string(),
  /** The model's own name for itself. */
  model: z.string().nullable(),
  ms: z.number(),
  sentTo: z.string(),
});
export type TriedSummarizer = z.infer<typeof triedSummarizer>;
