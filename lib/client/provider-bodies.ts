// What providers' requests and answers say, as far as a session records it: Anthropic's Messages, OpenAI's chat completions and
// Responses. Bodies are strangers' data: what is not as described is left out.
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import type { CalledTool, ModelAnswer, SentMessage } from "./conversation.ts";

// Every field may be anything: whoever reads throws at most, and the recording leaves the call out.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

export type ProviderReader = {
  readonly sent: (request: Json) => SentMessage[];
  /** The provider has the history: only what is new is sent. */
  readonly isContinued: (request: Json) => boolean;
  readonly answered: (response: Json) => ModelAnswer;
  /** How its streams are put together. */
  readonly api: CapturedApi;
};

/** By the end of the address; null for what is no call of a model. */
export function readerOf(path: string): ProviderReader | null {
  if (path.endsWith("/messages")) return messages;
  if (path.endsWith("/chat/completions")) return chat;
  return path.endsWith("/responses") ? responses : null;
}

export const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

/** The words of a string or of a list of blocks. */
export function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .flatMap(({ text, refusal }) => (typeof text === "string" ? [text] : typeof refusal === "string" ? [refusal] : []))
    .join("\n");
}

export function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const roleOf = (role: unknown): "system" | "user" | "assistant" =>
  role === "assistant" ? "assistant" : role === "system" || role === "developer" ? "system" : "user";

/** Names of calls by id: results name only the id. */
const namesOf = (calls: readonly CalledTool[]): ((id: string) => string) => {
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? "tool";
};

/** A name that is no string goes on as it is: whoever records it refuses the call. */
const billed = (model: Json[string], usage: Json, answer: Json = {}): Json[string] =>
  typeof model === "string" ? variantOf(model, usage, answer) : model;

const messages: ProviderReader = {
  api: "messages",
  isContinued: ({ thread }) => thread?.type === "continue",
  sent({ system, messages: given }) {
    const blocks = list(given).flatMap(({ content }) => list(content));
    const nameOf = namesOf(blocks.filter(({ type }) => type === "tool_use") as CalledTool[]);
    const sent: SentMessage[] = system === undefined ? [] : [{ role: "system", text: wordsOf(system) }];
    for (const { role, content } of list(given)) {
      for (const { type, tool_use_id: id, content: result, is_error } of list(content))
        if (type === "tool_result")
          sent.push({ role: "tool", id, name: nameOf(id), text: wordsOf(result), isError: is_error === true });
      sent.push({ role: roleOf(role), text: wordsOf(content) });
    }
    return sent;
  },
  answered({ content, model, usage }) {
    const blocks = list(content);
    return {
      text: wordsOf(content),
      reasoning: blocks.flatMap(({ thinking }) => (typeof thinking === "string" ? [thinking] : [])).join("\n"),
      toolCalls: blocks.filter(({ type }) => type === "tool_use") as CalledTool[],
      model: billed(model, usage ?? {}),
      usage: usage && {
        inputUncached: usage.input_tokens ?? 0,
        cacheRead: usage.cache_read_input_tokens ?? 0,
        cacheWrite: usage.cache_creation_input_tokens ?? 0,
        ...(usage.cache_creation?.ephemeral_1h_input_tokens > 0 && {
          cacheWrite1h: usage.cache_creation.ephemeral_1h_input_tokens,
        }),
        output: usage.output_tokens ?? 0,
        reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
      },
    };
  },
};

/** OpenAI counts both in the prompt; other servers of its interface have null for none. */
const cachedOf = (details: Json | null | undefined) => ({
  cacheRead: details?.["cached_tokens"] ?? 0,
  cacheWrite: details?.["cache_write_tokens"] ?? 0,
});

const callOfChat = ({ id, function: called }: Json): CalledTool => ({
  id,
  name: called?.name ?? "tool",
  input: parsed(called?.arguments),
});

const chat: ProviderReader = {
  api: "chat",
  isContinued: () => false,
  sent({ messages: given }) {
    const nameOf = namesOf(list(given).flatMap(({ tool_calls }) => list(tool_calls).map(callOfChat)));
    return list(given).map(({ role, content, tool_call_id: id }) =>
      role === "tool"
        ? { role, id, name: nameOf(id), text: wordsOf(content) }
        : { role: roleOf(role), text: wordsOf(content) },
    );
  },
  answered({ choices, model, usage, service_tier }) {
    const message: Json = list(choices)[0]?.["message"] ?? {};
    const cached = cachedOf(usage?.prompt_tokens_details);
    return {
      text: wordsOf(message["content"]),
      reasoning: wordsOf(message["reasoning_content"]),
      toolCalls: list(message["tool_calls"]).map(callOfChat),
      model: billed(model, {}, { service_tier }),
      usage: usage && {
        inputUncached: Math.max(0, (usage.prompt_tokens ?? 0) - cached.cacheRead - cached.cacheWrite),
        ...{ ...cached, output: usage.completion_tokens ?? 0 },
        reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      },
    };
  },
};

const callOfItem = ({ call_id, name, arguments: given }: Json): CalledTool => ({
  id: call_id,
  name,
  input: parsed(given),
});
const isCall = ({ type }: Json): boolean => type === "function_call";

const responses: ProviderReader = {
  api: "responses",
  isContinued: ({ previous_response_id, conversation }) => (previous_response_id ?? conversation ?? null) !== null,
  sent({ instructions, input }) {
    const items = typeof input === "string" ? [{ role: "user", content: input }] : list(input);
    const nameOf = namesOf(items.filter(isCall as never).map(callOfItem));
    const system: SentMessage[] = typeof instructions === "string" ? [{ role: "system", text: instructions }] : [];
    const sent = items.flatMap((item: Json): SentMessage[] => {
      const { type, role, content, call_id: id, output } = item;
      if (type === "function_call_output")
        return [{ role: "tool", id, name: nameOf(id), text: wordsOf(output) || textOfValue(output) }];
      return role === undefined ? [] : [{ role: roleOf(role), text: wordsOf(content) }];
    });
    return [...system, ...sent];
  },
  answered({ output, model, usage, service_tier }) {
    const items = list(output);
    const cached = cachedOf(usage?.input_tokens_details);
    return {
      text: items.flatMap(({ type, content }) => (type === "message" ? [wordsOf(content)] : [])).join("\n"),
      reasoning: items.flatMap(({ type, summary }) => (type === "reasoning" ? [wordsOf(summary)] : [])).join("\n"),
      toolCalls: items.filter(isCall).map(callOfItem),
      model: billed(model, {}, { service_tier }),
      usage: usage && {
        inputUncached: Math.max(0, (usage.input_tokens ?? 0) - cached.cacheRead - cached.cacheWrite),
        ...{ ...cached, output: usage.output_tokens ?? 0 },
        reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
      },
    };
  },
};
