// One request to a model's server, and everything that may be wrong with its answer: late, cut, endless, redirected, of
// another type, refused. Each ends in one sentence that says what was found; none leaves anything behind.
import { AppError, fail, isAppError, type ErrorCode } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { shortText } from "./short-text.ts";

// Taken before Next starts: it puts a fetch of its own in this place, which caches what pages ask for.
const plainFetch = globalThis.fetch;

export type JsonRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Ends the request whatever it is doing: the reader's own signal and the deadline in one. */
  readonly signal: AbortSignal;
  /** Masks what no message may carry: the key, above all. */
  readonly masked: (text: string) => string;
};

/** A refusal that may pass by itself; `waitMs` is what the server asked for. */
export type Busy = { readonly status: number; readonly waitMs: number | null; readonly error: unknown };
export type Posted = { readonly answer: unknown } | { readonly busy: Busy };

/** Asks once. What may be asked again (429, 5xx) is given back, everything else that is no JSON answer fails. */
export async function postJson(request: JsonRequest): Promise<Posted> {
  const { host } = new URL(request.url);
  const response = await reach(request, host);
  const { status } = response;
  if (status >= 300 && status < 400) {
    await drop(response);
    return fail("invalid", `${host} answered with a redirect (${status}), which is not followed. ${TO_SETTINGS}`);
  }
  const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  const isJson = /^application\/([\w.-]+\+)?json$/.test(type);
  if (!response.ok) {
    const said = isJson || type === "text/plain" ? saidIn(await textOf(response, request, host, ERROR_BYTES)) : null;
    if (said === null) await drop(response);
    const [code, sentence] = refusalOf(status);
    const quote = said === null || said === "" ? "" : ` It said: “${shortText(request.masked(said))}”`;
    const message = `${host} ${sentence} (${status}).${quote}`;
    if (status !== 429 && status < 500) return fail(code, message);
    return { busy: { status, waitMs: retryAfter(response), error: new AppError(code, message) } };
  }
  if (!isJson) {
    await drop(response);
    const found = type === "" ? "without a type" : `as ${shortText(type, 60)}`;
    return fail("unsupported", `${host} answered ${found}, not as application/json. ${TO_SETTINGS}`);
  }
  const text = await textOf(response, request, host, LIMITS.modelReplyBytes);
  if (text === null)
    return fail(
      "too_large",
      `The answer of ${host} is over ${LIMITS.modelReplyBytes / 1024 ** 2} MB and was not read further.`,
    );
  try {
    return { answer: JSON.parse(text) as unknown };
  } catch (error) {
    return fail("unsupported", `The answer of ${host} is not valid JSON.`, error);
  }
}

/** Beginning of a refusal that is read for its words; a page of HTML says nothing that a person could use. */
const ERROR_BYTES = 16 * 1024;
const TO_SETTINGS = "Check the base URL in Settings, Summarizer.";

// Whoever answers for a name by mistake has no certificate of it: over https nothing is sent before that is proved,
// and without https only this machine is asked.
async function reach(request: JsonRequest, host: string): Promise<Response> {
  try {
    return await plainFetch(request.url, {
      method: "POST",
      headers: { ...request.headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(request.body),
      redirect: "manual",
      signal: request.signal,
    });
  } catch (error) {
    request.signal.throwIfAborted();
    return fail(
      "unsupported",
      `${host} could not be asked (${request.masked(causeOf(error))}). Check that it runs, and check the base URL.`,
      error,
    );
  }
}

/** The body as text; null when it is larger than may be read. Nothing beyond the cap is kept or waited for. */
async function textOf(response: Response, request: JsonRequest, host: string, cap: number): Promise<string | null> {
  const declared = Number(response.headers.get("content-length"));
  if (declared > cap || response.body === null) {
    await drop(response);
    return response.body === null ? "" : null;
  }
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let size = 0;
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.length;
      if (size > cap) return null;
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    request.signal.throwIfAborted();
    return fail("unsupported", `The answer of ${host} was interrupted after ${size} bytes (${causeOf(error)}).`, error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const drop = async (response: Response): Promise<void> => response.body?.cancel().catch(() => undefined);

/** Words of an error as the providers write it: {error: {message}}, {error: text}, {message}; else the text itself. */
function saidIn(text: string | null): string | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const { error, message } = (value ?? {}) as { error?: unknown; message?: unknown };
  const inner = (error as { message?: unknown } | null | undefined)?.message;
  return [inner, error, message].find((said): said is string => typeof said === "string") ?? text;
}

function refusalOf(status: number): readonly [ErrorCode, string] {
  if (status === 401 || status === 403) return ["invalid", "did not accept the key"];
  if (status === 404) return ["invalid", "does not know this address or model"];
  if (status === 413) return ["too_large", "refused the request as too large"];
  if (status === 429) return ["unsupported", "accepts no more requests at the moment"];
  return status < 500 ? ["invalid", "refused the request"] : ["unsupported", "failed"];
}

/** Seconds alone: a date would need its clock and ours to agree. */
function retryAfter(response: Response): number | null {
  const seconds = response.headers.get("retry-after");
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

function causeOf(error: unknown): string {
  if (isAppError(error)) return error.message;
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  const said = cause?.code ?? cause?.message ?? (error as Error).message;
  return shortText(String(said), 120);
}
