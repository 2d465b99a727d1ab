// What is said of the model that summarises: above all, what would be sent where.
import { LIMITS } from "#lib/kernel/limits.ts";
import { baseUrlProblem, normalBaseUrl, requestUrl } from "#lib/kernel/model-endpoint.ts";
import { summarizerRequest, type SummarizerAnswer, type SummarizerKind } from "#lib/wire/summarizer-schema.ts";
import { formatDuration, formatTokens } from "../ui/format.ts";

export type Draft = {
  readonly kind: SummarizerKind;
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string;
};

export const KIND_WORDS: Readonly<Record<SummarizerKind, { readonly label: string; readonly baseUrl: string }>> = {
  off: { label: "Off", baseUrl: "" },
  openai: { label: "OpenAI-compatible", baseUrl: "https://api.openai.com/v1" },
  anthropic: { label: "Anthropic", baseUrl: "https://api.anthropic.com" },
};

export const draftOf = ({ kind, baseUrl, model }: SummarizerAnswer): Draft => ({ kind, baseUrl, model, key: "" });

/** What would be saved, or what is wrong with it by field. Off has no fields: what was saved in them stays. */
export function requestOf(
  draft: Draft,
  saved: SummarizerAnswer,
): {
  readonly request: { kind: SummarizerKind; baseUrl: string; model: string; apiKey?: string } | null;
  readonly wrong: Readonly<Record<string, string>>;
} {
  const { kind, baseUrl, model, key } = draft.kind === "off" ? { ...draftOf(saved), kind: draft.kind } : draft;
  const request = {
    kind,
    baseUrl: baseUrl.trim(),
    model: model.trim(),
    ...(key.trim() !== "" && { apiKey: key.trim() }),
  };
  const checked = summarizerRequest.safeParse(request);
  if (checked.success) return { request, wrong: {} };
  const wrong: Record<string, string> = {};
  for (const { path, message } of checked.error.issues) wrong[String(path[0])] ??= sentence(message);
  return { request: null, wrong };
}

/** What is saved already, nothing typed that would change it. */
export const isSaved = (draft: Draft, saved: SummarizerAnswer): boolean =>
  draft.kind === saved.kind &&
  (draft.kind === "off" ||
    (sameUrl(draft.baseUrl.trim(), saved.baseUrl) && draft.model.trim() === saved.model && draft.key === ""));

/** The key that is there goes when this is saved. */
export const losesKey = (draft: Draft, saved: SummarizerAnswer): boolean =>
  saved.key.isSet && !sameUrl(draft.baseUrl.trim(), saved.baseUrl);

export function keyWords({ key }: SummarizerAnswer): string {
  if (!key.isSet) return "not set";
  return key.last4 === null ? "set" : `set, ends in ${key.last4}`;
}

/** Sentences that say what leaves this machine, and where it goes. */
export function sentWords(draft: Draft): readonly string[] {
  const baseUrl = draft.baseUrl.trim();
  if (draft.kind === "off") return ["Off: summaries are extracted from the transcript. Nothing leaves this machine."];
  if (baseUrlProblem(baseUrl) !== null) return ["This base URL cannot be saved. Nothing is sent."];
  const url = new URL(normalBaseUrl(baseUrl));
  const isHere = url.protocol === "http:" || /^(localhost|127\.|\[::1\])/.test(url.hostname);
  return [
    `When you compact with this model, the turns that are cut are sent to ${requestUrl(draft.kind, url.href)}${isHere ? ", on this machine" : ""}: messages, tool calls and results.`,
    `Known secrets are masked first. At most ${formatTokens(LIMITS.modelInputChars)} characters are sent.`,
    "Otherwise only one short question is sent, when you click Try it.",
  ];
}

export const triedWords = (tried: {
  readonly said: string;
  readonly model: string | null;
  readonly ms: number;
}): string =>
  `It answered “${tried.said}” in ${formatDuration(tried.ms)}${tried.model === null ? "" : `, as ${tried.model}`}.`;

function sameUrl(one: string, other: string): boolean {
  if (one === other) return true;
  return baseUrlProblem(one) === null && normalBaseUrl(one) === other;
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!]$/.test(text) ? "" : "."}`;
