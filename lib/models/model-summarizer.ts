// A summarizer that asks a model. What it is sent is masked and fenced; what it answers is data as well: text alone, within
// the limits of every summary, without signs that steer and without addresses that the transcript does not have.
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { SecretRegistry } from "#lib/kernel/artifacts/secret-registry.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { REPLY_LIMITS, parseSummaryReply } from "#lib/kernel/memory/reply-parser.ts";
import { normalizeFacts } from "#lib/kernel/memory/result-normalizer.ts";
import { normalBaseUrl, type ModelEndpoint, type ModelSummarizer } from "#lib/kernel/model-endpoint.ts";
import { askModel, type ModelLimits } from "./ask-model.ts";
import { ONE_WORD, summaryQuestion } from "./summary-prompt.ts";
import { shortText, withoutSteering } from "./short-text.ts";
import { transcriptText } from "./transcript-text.ts";

/** Tag of a summary whose model was not shown everything. */
export const SHORTENED = "input_shortened";

/** Fails with `invalid` for an address that may not be asked; sends nothing before it is asked to. */
export function modelSummarizer(endpoint: ModelEndpoint, limits: ModelLimits = {}): ModelSummarizer {
  const { kind, model, apiKey } = endpoint;
  if (apiKey !== null && !/^[!-~]+$/.test(apiKey))
    fail("invalid", "The key has invalid characters. Set it again in Settings, Summarizer.");
  const request = { ...endpoint, baseUrl: normalBaseUrl(endpoint.baseUrl) };
  const registry = new SecretRegistry();
  if (apiKey !== null) registry.add(apiKey);
  const masked = (text: string): string => redactText(text, { registry }).text;

  return {
    id: `${kind}:${model}`,
    async summarize(traces, { budgetChars = REPLY_LIMITS.summaryChars, instructions = "", signal }) {
      const shown = transcriptText(traces, masked);
      const summaryChars = Math.min(budgetChars, REPLY_LIMITS.summaryChars);
      const question = summaryQuestion(shown.text, {
        summaryChars,
        instructions: withoutSteering(masked(instructions)),
      });
      const { text } = await askModel(request, question, { limits, signal, masked });
      const reply = parseSummaryReply(withoutThoughts(text));
      const clean = (said: string): string => disarmed(withoutSteering(masked(said)), shown.text).trim();
      const summary = cut(clean(reply.summary), summaryChars);
      if (summary === "") fail("unsupported", "The model's summary is empty. Try again.");
      const facts = reply.facts.map((one) => ({ ...one, fact: clean(one.fact) })).filter(({ fact }) => fact !== "");
      return { summary, facts: normalizeFacts(facts), ...(shown.leftOut > 0 ? { tags: [SHORTENED] } : {}) };
    },
    async tryOut(signal) {
      const from = performance.now();
      const once = { tries: 1, timeoutMs: LIMITS.modelTryMs, ...limits };
      const answer = await askModel(request, ONE_WORD, { limits: once, signal, masked });
      const said = shortText(masked(withoutThoughts(answer.text)), 200);
      const name = answer.model === null ? null : shortText(answer.model, 200);
      return { said, model: name, ms: Math.round(performance.now() - from) };
    },
  };
}

/** Models that think aloud begin with it; an object in a thought is no answer. */
const withoutThoughts = (text: string): string =>
  text.replace(/^\s*<(think|thinking)>[\s\S]*?<\/\1>/i, "").replace(/^\s*<(think|thinking)>[\s\S]*$/i, "");

const ADDRESS = /\b([a-z][a-z0-9+.-]{0,20}):\/\/[^\s"'<>`\\)\]}]+/gi;

/** An address that the transcript does not have is the model's own, or was built to carry something out: it is no link. */
const disarmed = (text: string, transcript: string): string =>
  text.replace(ADDRESS, (address) =>
    transcript.includes(address.replace(/[.,;:!?]+$/, "")) ? address : address.replace("://", "[:]//"),
  );

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
