// One question to a model, in the words of its provider, within one deadline. Nothing of an answer but its text is used:
// tool calls and thoughts are left where they are.
import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { AppError, fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { requestUrl, type ModelEndpoint, type ModelKind } from "#lib/kernel/model-endpoint.ts";
import { anthropicDialect } from "./anthropic-request.ts";
import type { Dialect } from "./model-dialect.ts";
import { openaiDialect } from "./openai.ts";
import { postJson, type Busy } from "./post-json.ts";
import { shortText } from "./short-text.ts";

/** Each has a default; tests shorten them. */
export type ModelLimits = {
  /** All tries together. */
  readonly timeoutMs?: number;
  readonly maxOutputTokens?: number;
  /** Tries of a question that meets a server which is busy or failing. */
  readonly tries?: number;
  /** Before the second try; twice as long before the third. */
  readonly retryMs?: number;
};

export type Question = { readonly system: string; readonly user: string };
export type ModelAnswer = { readonly text: string; readonly model: string | null };

const DIALECTS: Readonly<Record<ModelKind, Dialect>> = { openai: openaiDialect, anthropic: anthropicDialect };

/** A server that asks for a longer wait than this is told to the person instead (milliseconds). */
const MOST_WAIT_MS = 20_000;

export async function askModel(
  endpoint: ModelEndpoint,
  question: Question,
  result: {
    readonly limits: ModelLimits;
    readonly signal: AbortSignal | undefined;
    readonly masked: (text: string) => string;
  },
): Promise<ModelAnswer> {
  const { timeoutMs = LIMITS.modelMs, maxOutputTokens = LIMITS.modelOutputTokens } = result.limits;
  const dialect = DIALECTS[endpoint.kind];
  const url = requestUrl(endpoint.kind, endpoint.baseUrl);
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = result.signal === undefined ? deadline : AbortSignal.any([result.signal, deadline]);
  const request = {
    url,
    headers: dialect.headers(endpoint.apiKey),
    body: dialect.body({ ...question, model: endpoint.model, maxOutputTokens, host: new URL(url).hostname }),
    signal,
    masked: result.masked,
  };
  try {
    const answer = await posted(request, result.limits);
    return readReply(dialect, answer, maxOutputTokens, result.masked);
  } catch (error) {
    if (result.signal?.aborted === true)
      throw new AppError("conflict", "Asking the model was cancelled.", { cause: error });
    if (deadline.aborted)
      throw new AppError(
        "timeout",
        `${new URL(url).host} did not answer within ${timeoutMs / 1000} s. Compact fewer turns, or choose a faster model.`,
        { cause: error },
      );
    throw error;
  }
}

async function posted(request: Parameters<typeof postJson>[0], limits: ModelLimits): Promise<unknown> {
  const { tries = LIMITS.modelTries, retryMs = 1000 } = limits;
  for (let left = tries - 1, pause = retryMs; ; left--, pause *= 2) {
    const result = await postJson(request);
    if ("answer" in result) return result.answer;
    const { busy } = result;
    const waitMs = waitOf(busy, pause);
    if (left <= 0 || waitMs > MOST_WAIT_MS) throw busy.error;
    await wait(waitMs, undefined, { signal: request.signal });
  }
}

/** Spread by a quarter, so that those who were refused together do not come again together. */
const waitOf = (busy: Busy, pause: number): number =>
  busy.waitMs ?? Math.round(pause * (0.75 + randomInt(0, 501) / 1000));

function readReply(
  dialect: Dialect,
  answer: unknown,
  maxOutputTokens: number,
  masked: (text: string) => string,
): ModelAnswer {
  const reply = dialect.reply(answer);
  if (reply === null)
    return fail("unsupported", "The answer does not fit this kind of model. Check the kind in Settings, Summarizer.");
  const { text, model, ended } = reply;
  if (ended === "refused") {
    const said = shortText(masked(reply.refusal ?? text));
    return fail("unsupported", `The model refused.${said === "" ? "" : ` It said: “${said}”`}`);
  }
  if (ended === "cut")
    return fail(
      "too_large",
      `The answer of the model is cut off. Its limit is ${maxOutputTokens} tokens, reasoning included.`,
    );
  if (text.trim() === "") return fail("unsupported", "The model answered without any text.");
  return { text, model };
}
