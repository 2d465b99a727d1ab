// A request with its answer, as claude-trace writes them, in the shape of one that our proxy records.
import type { CapturedExchange, CapturedPart } from "#lib/kernel/captured-record.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { readAnswer } from "#lib/kernel/provider-answer.ts";
import { asArray, asNumber, asObject, asText, isObject, type Json } from "../json.ts";
import { printOf } from "../placed-drafts.ts";

export type TracedPair = {
  readonly exchange: Omit<CapturedExchange, "exchange" | "messages" | "newParts">;
  readonly session: string | null;
  readonly parts: readonly CapturedPart[];
  readonly messages: readonly Json[];
};

export const isPair = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const request = asObject(value["request"]);
  return (
    typeof request["url"] === "string" &&
    typeof request["timestamp"] === "number" &&
    "headers" in request &&
    "response" in value
  );
};

export function readPair(value: Json): TracedPair {
  const request = asObject(value["request"]);
  const response = asObject(value["response"]);
  const body = asObject(request["body"]);
  const path = pathOf(asText(request["url"]) ?? "");
  const isMessages = /\/v1\/messages$/.test(path) && Array.isArray(body["messages"]);
  const at = Math.round((asNumber(request["timestamp"]) ?? 0) * 1000);
  const answered = asNumber(response["timestamp"]);
  const parts = isMessages ? partsOf(body) : [];
  const text = asText(response["body_raw"]);
  const message = isObject(response["body"]) ? response["body"] : text === null ? null : readAnswer(text, "messages");
  return {
    session: sessionOf(body, asObject(request["headers"])),
    parts,
    messages: isMessages ? asArray(body["messages"]).filter(isObject).map(unmarked) : [],
    exchange: {
      at,
      firstByteMs: null,
      totalMs: answered === null ? 0 : Math.max(0, answered * 1000 - at),
      method: asText(request["method"]) ?? "POST",
      path,
      api: isMessages ? "messages" : null,
      turn: null,
      purpose: null,
      model: asText(body["model"]),
      headers: textsOf(request["headers"]),
      request: null,
      parts: isMessages ? parts.map(({ key }) => key) : null,
      answer: {
        status: asNumber(response["status_code"]),
        headers: textsOf(response["headers"]),
        text,
        message: message as Json | null,
      },
      notes: [],
    },
  };
}

const pathOf = (url: string): string => /^https?:\/\/[^/]+([^?#]*)/.exec(url)?.[1] ?? url;

const textsOf = (headers: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asObject(headers)).flatMap(([key, one]) => (asText(one) === null ? [] : [[key, one as string]])),
  );

/** Claude Code names its session in a header, older versions in `metadata` alone. */
function sessionOf(body: Json, headers: Json): string | null {
  const user = asText(asObject(body["metadata"])["user_id"]) ?? "";
  const named =
    asText(headers["x-claude-code-session-id"]) ??
    /"session_id"\s*:\s*"([\w-]{8,80})"/.exec(user)?.[1] ??
    /_session_([0-9a-f-]{36})$/.exec(user)?.[1] ??
    null;
  return named;
}

/** Blocks of the system prompt, then tools. */
function partsOf(body: Json): CapturedPart[] {
  const { system } = body;
  const texts =
    typeof system === "string" ? [system] : asArray(system).flatMap((block) => asText(asObject(block)["text"]) ?? []);
  return [
    ...texts.map((text) => partOf(null, text)),
    ...asArray(body["tools"])
      .filter(isObject)
      .map(({ cache_control: _mark, ...tool }) =>
        partOf(asText(tool["name"]) ?? asText(tool["type"]) ?? "tool", jsonText(tool)),
      ),
  ];
}

const partOf = (tool: string | null, text: string): CapturedPart => ({
  key: printOf(`${tool ?? ""}\n${text}`),
  tool,
  text,
});

/** Cache marks move from request to request; the message stays the same. */
function unmarked(message: Json): Json {
  const { content, ...rest } = message;
  if (!Array.isArray(content)) return message;
  return {
    ...rest,
    content: content.map((block) => {
      if (!isObject(block)) return block as unknown;
      const { cache_control: _mark, ...own } = block;
      return own;
    }),
  };
}
