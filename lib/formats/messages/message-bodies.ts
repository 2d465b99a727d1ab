// A message of a provider or a library, whichever shape it has, as the events of a log: OpenAI's chat and Responses, Anthropic,
// Google, the AI SDK's messages for screens and for models, LangChain, ShareGPT. docs/formats/messages.md names them.
import type { Attachment, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { imagesOf } from "../placed-drafts.ts";
import { callOf, inputOf, isApproval, partsOf, pieceOf, resultPiece, type Piece, type Role } from "./message-parts.ts";
import { isAsideItem, isItem, isItemResult, itemPieces } from "./item-pieces.ts";
import { messageRequest } from "./message-request.ts";

export type SaidBody = { readonly body: EventBody; readonly attachments: readonly Attachment[] };

export type ReadMessage = {
  readonly role: Role | null;
  readonly said: readonly SaidBody[];
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly id: string | null;
  /** Thoughts that stand before the answer that they are of. */
  readonly isAside: boolean;
};

const ROLES: Readonly<Record<string, Role>> = {
  ...{ system: "system", developer: "developer", user: "user", human: "user", assistant: "assistant", ai: "assistant" },
  ...{ model: "assistant", gpt: "assistant", bot: "assistant", chatbot: "assistant", tool: "tool", function: "tool" },
  ...{ observation: "tool", critic: "user", toolresult: "tool", HumanMessage: "user", AIMessage: "assistant" },
  ...{
    AIMessageChunk: "assistant",
    HumanMessageChunk: "user",
    SystemMessage: "system",
    ToolMessage: "tool",
    FunctionMessage: "tool",
    ChatMessage: "user",
  },
};
export const roleOf = (value: unknown): Role | null => {
  const name = asText(value);
  return name === null ? null : (ownEntry(ROLES, name) ?? ownEntry(ROLES, name.toLowerCase()) ?? null);
};

/** Who speaks. Continue keeps thoughts as messages of their own. */
export const speakerOf = ({ role }: Json): Role | null => (role === "thinking" ? "assistant" : roleOf(role));

/** LangChain and others wrap a message: what is inside, with its role. */
export function unwrapped(message: Json): Json {
  if (message["type"] === "constructor" && isObject(message["kwargs"])) {
    const name = asText(asArray(message["id"]).at(-1)) ?? "";
    return { ...message["kwargs"], role: message["kwargs"]["role"] ?? name };
  }
  if (isObject(message["data"]) && roleOf(message["type"]) !== null)
    return { role: message["type"], ...message["data"] };
  if (message["role"] === undefined && message["from"] !== undefined && "value" in message)
    return sharedMessage(message["from"], message["value"]);
  if (isObject(message["message"]) && message["message"]["role"] !== undefined) {
    const { toolCallStates, contextItems } = message;
    return { toolCallStates, contextItems, ...message["message"], id: message["id"] ?? message["message"]["id"] };
  }
  if (message["role"] === undefined && roleOf(message["type"]) !== null) return { ...message, role: message["type"] };
  return message;
}

/** ShareGPT: a call of a tool is the text of its name and arguments. */
function sharedMessage(from: unknown, value: unknown): Json {
  if (from !== "function_call") return { role: from, content: value };
  const call = inputOf(value);
  return { role: "assistant", ...(isObject(call) ? { tool_calls: [call] } : { content: value }) };
}

export function readMessage(given: Json): ReadMessage {
  if (isItem(given)) {
    return {
      role: isAsideItem(given) ? "system" : isItemResult(given) ? "tool" : "assistant",
      said: merged(itemPieces(given), "assistant"),
      model: null,
      usage: null,
      id: asText(given["id"]),
      isAside: false,
    };
  }
  const message = unwrapped(given);
  const role = speakerOf(message);
  const { model, usage } = messageRequest(message);
  return {
    role,
    said: merged(piecesOf(message, role), role ?? "user"),
    model: role === "assistant" ? model : null,
    usage,
    id: asText(message["id"]),
    isAside: message["role"] === "thinking",
  };
}

function piecesOf(message: Json, role: Role | null): Piece[] {
  const content =
    message["content"] ?? message["parts"] ?? (message["role"] === undefined ? message["text"] : undefined);
  if (role === "tool") return toolPieces(message, content);
  if (message["role"] === "thinking")
    return pieceOf({ type: "thinking", thinking: wordsOf(content), data: message["redactedThinking"] });
  const extra = asObject(message["additional_kwargs"]);
  const thought = [message["reasoning_content"], message["reasoning"], message["thinking"], extra["reasoning_content"]]
    .map(asText)
    .find((one) => one !== null && one !== "");
  const parts = Array.isArray(message["parts"]) && message["parts"].length > 0 ? message["parts"] : partsOf(content);
  const pieces = [...asArray(message["thinking_blocks"]).flatMap(pieceOf), ...parts.flatMap(pieceOf)];
  const hasReasoning = pieces.some((piece) => piece.kind === "event" && piece.body.type === "reasoning");
  const calls = callsOf(message).filter((call) => !pieces.some((piece) => sameCall(piece, call)));
  return [
    ...(hasReasoning ? [] : thoughtsBeside(thought, extra["reasoning"])),
    ...pieces,
    ...(asText(message["refusal"]) === null || pieces.length > 0
      ? []
      : [{ kind: "text", text: asText(message["refusal"])! } as const]),
    ...calls.map((body) => ({ kind: "event", body }) as const),
    ...besideContinue(message),
    ...asArray(message["toolInvocations"])
      .flatMap((one) => pieceOf({ type: "tool-invocation", toolInvocation: one }))
      .filter(
        (piece) =>
          piece.kind !== "event" ||
          piece.body.type !== "tool_call" ||
          !pieces.some((other) => sameCall(other, piece.body)),
      ),
  ];
}

/** LangChain has an item of OpenAI's Responses beside the message. */
function thoughtsBeside(thought: string | null | undefined, item: unknown): Piece[] {
  if (typeof thought === "string") return [{ kind: "event", body: { type: "reasoning", text: thought } }];
  return isObject(item) ? pieceOf({ ...item, type: "reasoning" }) : [];
}

const wordsOf = (content: unknown): string =>
  partsOf(content)
    .map((part) => asText(part) ?? asText(asObject(part)["text"]) ?? "")
    .join("\n");

/** Continue keeps beside a message what its calls gave back, and the files that were sent with a prompt. */
function besideContinue({ toolCallStates, contextItems }: Json): Piece[] {
  const words = (items: unknown): string =>
    asArray(items)
      .map((item) => asText(asObject(item)["content"]) ?? "")
      .join("\n");
  const results = asArray(toolCallStates)
    .map(asObject)
    .filter(({ status, output }) => Array.isArray(output) || status === "errored" || status === "canceled")
    .map(({ toolCallId, status, output }) => {
      const text = words(output) || (status === "done" ? "" : String(status));
      return resultPiece(asText(toolCallId), text, status === "errored" || status === "canceled");
    });
  const files = asArray(contextItems)
    .map((item) => ({ name: asText(asObject(item)["name"]) ?? "", text: words([item]) }))
    .filter(({ text }) => text !== "")
    .map(({ name, text }): Piece => ({
      kind: "event",
      body: { type: "user", text: `${name}\n${text}`, injected: "file" },
    }));
  return [...files, ...results];
}

const sameCall = (piece: Piece, call: EventBody): boolean =>
  piece.kind === "event" &&
  piece.body.type === "tool_call" &&
  call.type === "tool_call" &&
  piece.body.toolCallId !== null &&
  piece.body.toolCallId === call.toolCallId;

function callsOf(message: Json): EventBody[] {
  const extra = asObject(message["additional_kwargs"]);
  const own = asArray(message["tool_calls"] ?? message["toolCalls"]);
  const listed = own.length > 0 ? own : asArray(extra["tool_calls"]);
  const invalid = asArray(message["invalid_tool_calls"]);
  const legacy = message["function_call"] ?? (listed.length > 0 ? undefined : extra["function_call"]);
  return [
    ...[...listed, ...invalid].filter(isObject).map((call) => callOf(call)),
    ...(isObject(legacy)
      ? [
          {
            type: "tool_call",
            toolCallId: null,
            toolName: asText(legacy["name"]) ?? "unnamed",
            input: inputOf(legacy["arguments"]),
          } as const,
        ]
      : []),
  ];
}

/** A message of a tool: of one call by its id, or parts of which each names its own. */
function toolPieces(message: Json, content: unknown): Piece[] {
  const parts = partsOf(content);
  const named = parts.flatMap((part) =>
    isObject(part) && (/^tool[-_]result$/.test(asText(part["type"]) ?? "") || isApproval(part)) ? pieceOf(part) : [],
  );
  if (named.length > 0) return named;
  if (parts.some((part) => isObject(part) && isObject(part["functionResponse"]))) return parts.flatMap(pieceOf);
  const id = asText(message["tool_call_id"]) ?? asText(message["toolCallId"]) ?? asText(message["call_id"]);
  return [resultPiece(id, content, message["status"] === "error" || message["is_error"] === true)];
}

/** Texts and images that follow each other are one event of the speaker. */
function merged(pieces: readonly Piece[], role: Role): SaidBody[] {
  const said: SaidBody[] = [];
  let texts: string[] = [];
  let attachments: Attachment[] = [];
  const flush = (): void => {
    if (texts.length + attachments.length > 0)
      said.push({ body: spoken(role, texts.join("\n"), attachments), attachments });
    texts = [];
    attachments = [];
  };
  for (const piece of pieces) {
    if (piece.kind === "text") texts.push(piece.text);
    else if (piece.kind === "image") attachments.push(piece.attachment);
    else {
      flush();
      said.push({ body: piece.body, attachments: piece.attachments ?? [] });
    }
  }
  flush();
  return said;
}

function spoken(role: Role, text: string, attachments: readonly Attachment[]): EventBody {
  const images = attachments.length === 0 ? {} : { images: imagesOf(attachments) };
  if (role === "assistant") return { type: "assistant", text, ...images };
  if (role === "system" || role === "developer")
    return { type: "system", subtype: "message", text, ...(role === "developer" && { role }) };
  return { type: "user", text, ...images };
}
