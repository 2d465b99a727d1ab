// Where the messages of a document are: a list of them, a request to a provider, its answer, or both.
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { isEnvelope } from "./envelopes.ts";
import { roleOf, speakerOf, unwrapped } from "./message-bodies.ts";
import { isAsideItem, isItem, itemName } from "./item-pieces.ts";

/** Lists of a document whose elements may be messages, in the order in which they were sent. */
export const LISTS = [
  "messages",
  "input",
  "contents",
  "conversations",
  "conversation",
  "output",
  "chat_history",
  "history",
];

/** Objects of a document that may hold the lists. */
export const INSIDE = ["request", "kwargs", "body", "params", "values", "channel_values", "proxy_server_request"];

export type MessageLists = {
  /** Keys of the lists of messages; "" for a list alone. */
  readonly keys: readonly string[];
  /** Where an object holds a request and an answer, or the lists, under a name of its own. */
  readonly inside: readonly string[];
  readonly isMessage: boolean;
};

/** Null for a value that holds no messages. */
export function messageLists(value: unknown): MessageLists | null {
  if (Array.isArray(value)) return areMessages(value) ? { keys: [""], inside: [], isMessage: false } : null;
  if (!isObject(value) || isOfAnother(value)) return null;
  const keys = LISTS.filter((key) => areMessages(asArray(value[key])));
  if (keys.length > 0) return { keys, inside: [], isMessage: false };
  if (typeof value["input"] === "string" && isAnswer(value["response"] ?? value))
    return { keys: [], inside: [], isMessage: false };
  if (isAnswer(value)) return { keys: [], inside: [], isMessage: false };
  if (isEnvelope(value)) return { keys: [], inside: [], isMessage: false };
  const inside = [...INSIDE, "data"].filter((key) => messageLists(value[key]) !== null);
  if (inside.length > 0 && inside[0] !== "data") return { keys: [], inside, isMessage: false };
  return isMessage(value) && areMessages([value]) ? { keys: [], inside: [], isMessage: true } : null;
}

/** Files of agents whose formats are elsewhere, or not read yet. */
const isOfAnother = (value: Json): boolean =>
  // Autobyteus' context of now: since schema 5 without an epoch.
  ("agent_id" in value && ("epoch_id" in value || typeof value["schema_version"] === "number")) ||
  "projectHash" in value ||
  ("sessionId" in value && "uuid" in value) ||
  "trace_type" in value;

/** True for a list whose first elements are messages, one of them of a person, a system prompt or a model. */
export function areMessages(list: readonly unknown[]): boolean {
  const first = list.slice(0, 4).filter((one) => !isCutOff(one));
  return (
    first.length > 0 &&
    first.every((one) => isObject(one) && (isMessage(one) || isInfo(one))) &&
    first.some((one) => speaks(one as Json))
  );
}

/** Amp has words of its own between those of a person and a model. */
export const isInfo = ({ role, content }: Json): boolean => role === "info" && Array.isArray(content);

/** The head of a file may end inside an element. */
const isCutOff = (one: unknown): boolean => isObject(one) && Object.keys(one).length === 0;

function isMessage(given: Json): boolean {
  if (isItem(given)) return given["type"] === "reasoning" || isAsideItem(given) || itemName(given) !== null;
  const message = unwrapped(given);
  if (speakerOf(message) === null) return false;
  return ["content", "parts", "tool_calls", "toolCalls", "toolInvocations", "function_call", "reasoning_content"].some(
    (key) => key in message,
  );
}

/** LangChain's flat messages have a type for a role, as lines of many logs have: a person or a model must be among them. */
function speaks(given: Json): boolean {
  if (isItem(given)) return !isAsideItem(given);
  const role = roleOf(unwrapped(given)["role"]);
  const isTyped = given["role"] === undefined && typeof given["content"] === "string" && given["data"] === undefined;
  return isTyped
    ? /^(?:human|ai|AIMessage|HumanMessage)/.test(asText(given["type"]) ?? "")
    : role !== null && role !== "tool";
}

/** A provider's answer: a chat completion, a response, a message of Anthropic's, a generated content or one of Bedrock's Converse. */
export function isAnswer(value: unknown): value is Json {
  if (!isObject(value)) return false;
  if (value["object"] === "response" || (isObject(value["usage"]) && areMessages(asArray(value["output"]))))
    return true;
  if (value["type"] === "message" && value["role"] === "assistant" && Array.isArray(value["content"])) return true;
  if (isObject(asObject(asArray(value["candidates"])[0])["content"])) return true;
  if (isObject(asObject(value["output"])["message"])) return true;
  const choice = asObject(asArray(value["choices"])[0]);
  return isObject(choice["message"]) && roleOf(choice["message"]["role"]) !== null;
}

/** Messages of an answer. */
export function messagesOfAnswer(answer: Json): Json[] {
  const choice = asObject(asArray(answer["choices"])[0]);
  if (isObject(choice["message"])) return [{ ...choice["message"], role: "assistant" }];
  const { message } = asObject(answer["output"]);
  if (isObject(message)) return [{ ...message, role: "assistant" }];
  if (Array.isArray(answer["output"])) return answer["output"].filter(isObject);
  const content = asObject(asArray(answer["candidates"])[0])["content"];
  if (isObject(content)) return [{ role: "model", ...content }];
  return [{ role: "assistant", content: answer["content"], id: answer["id"] }];
}
