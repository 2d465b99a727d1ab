// A model that a person set up to summarise: where it is asked, and which addresses may be asked at all. Nothing here
// connects; lib/models does, for an endpoint that was saved and for no other.
import { fail } from "./errors.ts";
import type { Summarizer } from "./memory/memory-types.ts";

/** How a model is spoken to. `openai` is what OpenAI, Ollama, vLLM, llama.cpp and most gateways understand. */
export const MODEL_KINDS = ["openai", "anthropic"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

export type ModelEndpoint = {
  readonly kind: ModelKind;
  /** As normalBaseUrl gives it. */
  readonly baseUrl: string;
  readonly model: string;
  /** Null for servers that take none. */
  readonly apiKey: string | null;
};

/** What a model said when it was asked for one word. */
export type TriedModel = {
  readonly said: string;
  /** The model's own name for itself, where it gave one. */
  readonly model: string | null;
  readonly ms: number;
};

export type ModelSummarizer = Summarizer & {
  readonly id: string;
  /** Asks for one word; nothing of any session is sent. */
  tryOut(signal?: AbortSignal): Promise<TriedModel>;
};

/** Makes clients of models; it sends nothing before one of them is asked. */
export type Summarizers = { of(endpoint: ModelEndpoint): ModelSummarizer };

const URL_CHARS = 2000;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const ENDINGS: Readonly<Record<ModelKind, RegExp>> = {
  openai: /\/chat\/completions$/,
  anthropic: /\/messages$/,
};

/** Why a text is no address that a model may be asked at, or null when it is one. */
export function baseUrlProblem(text: string): string | null {
  const url = text.length > URL_CHARS ? null : URL.parse(text);
  // The parser mends backslashes, missing slashes and characters that do not show: what is typed is what is asked.
  const typed = /^[a-z]+:\/\/([^/?#@\\\s]*@)?([^/?#@\\\s]+)([/?#][!-~]*)?$/i.exec(text);
  if (url === null || typed === null || text.includes("\\"))
    return "Use an address such as https://api.example.com/v1.";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "Only https, or http on this machine.";
  if (url.username !== "" || url.password !== "") return "Names and passwords are not allowed here. Use the key field.";
  if (text.includes("?") || text.includes("#")) return "Remove what follows ? or #.";
  const host = url.hostname;
  const typedHost = typed[2]!.replace(/:\d*$/, "").toLowerCase();
  // 127.1, 0x7f000001 and 2130706433 are one address: it is shown as it is called.
  if ((IPV4.test(host) || host.startsWith("[")) && typedHost !== host) return `Write the host as ${host}.`;
  if (host.endsWith(".")) return "Remove the dot after the host.";
  if (isForbidden(host)) return `${host} is not an allowed address.`;
  if (url.protocol === "http:" && !isLoopback(host))
    return "Plain http works only for this machine (localhost, 127.0.0.1, [::1]). Use https.";
  return null;
}

/** The address as it is kept and compared: no slash at its end. Fails with `invalid`. */
export function normalBaseUrl(text: string): string {
  const problem = baseUrlProblem(text);
  if (problem !== null) fail("invalid", `The base URL cannot be used. ${problem}`);
  return new URL(text).href.replace(/\/+$/, "");
}

/** Where a request goes. An address without a path, and one that names the whole path, are understood too. */
export function requestUrl(kind: ModelKind, baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  if (ENDINGS[kind].test(base)) return base;
  const { pathname } = new URL(base);
  const versioned = kind === "anthropic" ? /\/v\d+$/.test(base) : pathname !== "/" && pathname !== "";
  return `${base}${versioned ? "" : "/v1"}${kind === "anthropic" ? "/messages" : "/chat/completions"}`;
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (IPV4.test(host) && host.startsWith("127."));

/** Link-local addresses hold the metadata of cloud machines; unspecified and mapped ones are other names of other hosts. */
const isForbidden = (host: string): boolean =>
  /^169\.254\./.test(host) || /^0\./.test(host) || /^\[(fe[89ab]|::ffff:|64:ff9b:|::\])/.test(host);
