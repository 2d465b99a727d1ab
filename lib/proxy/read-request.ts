// What a captured request says: whose session it belongs to, what stands before its conversation, and the conversation.
import { hash } from "node:crypto";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { CapturedApi, CapturedHeader, CapturedPart } from "#lib/kernel/captured-record.ts";

type Json = Readonly<Record<string, unknown>>;

export type ReadRequest = {
  readonly session: CapturedHeader["session"];
  readonly turn: string | null;
  readonly purpose: string | null;
  readonly model: string | null;
  readonly parts: readonly CapturedPart[];
  /** In the provider's own form, without cache marks. */
  readonly messages: readonly unknown[];
};

type Told = { readonly api: CapturedApi; readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** Null where the body is no JSON object. */
export function readRequest(text: string, { api, path, headers }: Told): ReadRequest | null {
  const body = parsed(text);
  if (body === null) return null;
  const codex = codexOf(body);
  const claude = claudeSession(body, headers);
  const session =
    codex !== null
      ? { format: "codex", id: codex.thread }
      : claude !== null
        ? { format: "claude-code", id: claude }
        : null;
  return {
    session,
    turn: codex?.turn ?? null,
    purpose: codex?.purpose ?? null,
    model: asText(body["model"]) ?? /\/models\/([^/:]+)/.exec(path)?.[1] ?? null,
    parts: [...(codex === null ? systemOf(api, body) : []), ...toolsOf(api, body)],
    messages: messagesOf(api, body),
  };
}

/** Codex names thread and turn in its metadata. Its instructions are in its own file; the tools are not. */
function codexOf(body: Json) {
  const told = parsed(asText(asObject(body["client_metadata"])["x-codex-turn-metadata"]) ?? "");
  const thread = asText(told?.["thread_id"]) ?? asText(told?.["session_id"]);
  if (told === null || thread === null || !isName(thread)) return null;
  return { thread, turn: asText(told["turn_id"]), purpose: asText(told["request_kind"]) };
}

/** Claude Code names its session in a header, older versions in `metadata` alone. */
function claudeSession(body: Json, headers: Told["headers"]): string | null {
  const user = asText(asObject(body["metadata"])["user_id"]) ?? "";
  const named =
    headers["x-claude-code-session-id"] ??
    asText(parsed(user)?.["session_id"]) ??
    /^user_[0-9a-f]+_account_[0-9a-f-]*_session_([0-9a-f-]{36})$/.exec(user)?.[1];
  return named !== undefined && named !== null && isName(named) ? named : null;
}

/** Names become names of files. */
const isName = (id: string): boolean => /^[\w-]{8,80}$/.test(id);

const partOf = (tool: string | null, text: string): CapturedPart => ({
  key: hash("sha256", `${tool ?? ""}\n${text}`, "hex").slice(0, 12),
  tool,
  text,
});

function systemOf(api: CapturedApi, body: Json): CapturedPart[] {
  switch (api) {
    case "messages":
      return textsOf(body["system"]).map((text) => partOf(null, text));
    case "responses":
      return textsOf(body["instructions"]).map((text) => partOf(null, text));
    case "chat":
      return leadingSystem(body).map(({ content }) => partOf(null, textsOf(content).join("\n")));
    case "gemini":
      return textsOf(asObject(body["systemInstruction"] ?? body["system_instruction"])["parts"]).map((text) =>
        partOf(null, text),
      );
  }
}

const isSystem = ({ role }: Json): boolean => role === "system" || role === "developer";

/** Chat completions have the system prompt among the messages: those that come first. */
function leadingSystem(body: Json): Json[] {
  const messages = asArray(body["messages"]).map(asObject);
  const end = messages.findIndex((one) => !isSystem(one));
  return end < 0 ? messages : messages.slice(0, end);
}

/** A tool's schema as it is sent. */
function toolsOf(api: CapturedApi, body: Json): CapturedPart[] {
  const tools = asArray(body["tools"]).map(asObject);
  if (api !== "gemini") return tools.map(toolPart);
  return tools.flatMap((tool) => {
    const declared = asArray(tool["functionDeclarations"] ?? tool["function_declarations"]).map(asObject);
    return declared.length > 0 ? declared.map(toolPart) : [toolPart(tool)];
  });
}

function toolPart(tool: Json): CapturedPart {
  const { cache_control: _mark, ...rest } = tool;
  const name = asText(tool["name"]) ?? asText(asObject(tool["function"])["name"]);
  return partOf(name ?? asText(tool["type"]) ?? Object.keys(tool)[0] ?? "tool", jsonText(rest));
}

function messagesOf(api: CapturedApi, body: Json): unknown[] {
  switch (api) {
    case "messages":
      return asArray(body["messages"]).map(unmarked);
    case "responses":
      return typeof body["input"] === "string"
        ? [{ role: "user", content: body["input"] }]
        : [...asArray(body["input"])];
    case "chat":
      return asArray(body["messages"]).slice(leadingSystem(body).length).map(unmarked);
    case "gemini":
      return [...asArray(body["contents"])];
  }
}

/** Cache marks move from request to request; the message stays the same. */
function unmarked(message: unknown): unknown {
  const { content, ...rest } = asObject(message);
  if (!Array.isArray(content)) return message;
  return { ...rest, content: content.map((block) => ({ ...asObject(block), cache_control: undefined })) };
}

const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : asArray(value).flatMap((block) => {
        const text = asText(block) ?? asText(asObject(block)["text"]);
        return text === null ? [] : [text];
      });

export function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

export const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);
