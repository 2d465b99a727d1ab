// The four wires as an agent of ours speaks them: what it adds to a rendered request, and how it reads an answer.
import { OWN_TOOLS } from "./own-tools.ts";
import type { ModelAnswer, OwnCall, OwnWire, OwnWireId } from "./own-types.ts";
import type { Body } from "./script-types.ts";

const schema = { type: "object", properties: {}, additionalProperties: true };
const described = OWN_TOOLS.map((name) => ({ name, description: `The tool ${name}`, parameters: schema }));

const joined = (texts: readonly (string | undefined)[]): string => texts.join("");

type MessagesAnswer = {
  readonly id: string;
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly id?: string;
    readonly name?: string;
    readonly input?: unknown;
  }[];
  readonly usage: {
    readonly input_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly output_tokens: number;
  };
};

const anthropic: OwnWire = {
  api: "messages",
  path: () => "/v1/messages",
  added: ["model", "max_tokens", "tools"],
  body: (model, rendered) => ({
    model,
    max_tokens: 4096,
    tools: described.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    ...rendered,
  }),
  read(answer) {
    const { id, content, usage } = answer as unknown as MessagesAnswer;
    const toolCalls = content.filter(({ type }) => type === "tool_use");
    return {
      id,
      text: joined(content.map(({ text }) => text)),
      thinking: joined(content.map(({ thinking }) => thinking)),
      calls: toolCalls.map((block): OwnCall => ({
        id: block.id!,
        name: block.name!,
        input: block.input,
        native: { provider: "anthropic", messageContent: content, toolUseBlock: block },
      })),
      usage: {
        uncached: usage.input_tokens,
        cacheRead: usage.cache_read_input_tokens,
        cacheWrite: usage.cache_creation_input_tokens,
        output: usage.output_tokens,
        reasoning: 0,
      },
    };
  },
};

type ResponsesItem = {
  readonly type: string;
  readonly content?: readonly { readonly text: string }[];
  readonly summary?: readonly { readonly text: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
};
type ResponsesAnswer = {
  readonly id: string;
  readonly output: readonly ResponsesItem[];
  readonly usage: {
    readonly input_tokens: number;
    readonly input_tokens_details: { readonly cached_tokens: number };
    readonly output_tokens: number;
    readonly output_tokens_details: { readonly reasoning_tokens: number };
  };
};

const responses: OwnWire = {
  api: "responses",
  path: () => "/v1/responses",
  added: ["model", "tools", "store", "include"],
  body: (model, rendered) => ({
    model,
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: described.map((tool) => ({ type: "function", ...tool })),
    ...rendered,
  }),
  read(answer) {
    const { id, output, usage } = answer as unknown as ResponsesAnswer;
    const cacheRead = usage.input_tokens_details.cached_tokens;
    const toolCalls = output.filter(({ type }) => type === "function_call");
    return {
      id,
      text: joined(output.flatMap(({ content = [] }) => content).map(({ text }) => text)),
      thinking: joined(output.flatMap(({ summary = [] }) => summary).map(({ text }) => text)),
      calls: toolCalls.map((item): OwnCall => ({
        id: item.call_id!,
        name: item.name!,
        input: JSON.parse(item.arguments!) as unknown,
        native: { provider: "openai_responses", responseOutputItems: output, functionCallItem: item },
      })),
      usage: {
        uncached: usage.input_tokens - cacheRead,
        cacheRead,
        cacheWrite: 0,
        output: usage.output_tokens,
        reasoning: usage.output_tokens_details.reasoning_tokens,
      },
    };
  },
};

type ChatAnswer = {
  readonly id: string;
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null;
        readonly reasoning_content?: string;
        readonly tool_calls?: readonly {
          readonly id: string;
          readonly function: { readonly name: string; readonly arguments: string };
        }[];
      };
    },
  ];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
    readonly completion_tokens: number;
    readonly completion_tokens_details: { readonly reasoning_tokens: number };
  };
};

const chat: OwnWire = {
  api: "chat",
  path: () => "/v1/chat/completions",
  added: ["model", "tools"],
  body: (model, rendered) => ({
    model,
    tools: described.map((tool) => ({ type: "function", function: tool })),
    ...rendered,
  }),
  read(answer) {
    const { id, choices, usage } = answer as unknown as ChatAnswer;
    const [{ message }] = choices;
    const cacheRead = usage.prompt_tokens_details.cached_tokens;
    return {
      id,
      text: message.content ?? "",
      thinking: message.reasoning_content ?? "",
      calls: (message.tool_calls ?? []).map((call): OwnCall => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments) as unknown,
        native: undefined,
      })),
      usage: {
        uncached: usage.prompt_tokens - cacheRead,
        cacheRead,
        cacheWrite: 0,
        output: usage.completion_tokens,
        reasoning: usage.completion_tokens_details.reasoning_tokens,
      },
    };
  },
};

type GeminiAnswer = {
  readonly responseId: string;
  readonly candidates: readonly [
    {
      readonly content: {
        readonly parts: readonly {
          readonly text?: string;
          readonly thought?: boolean;
          readonly functionCall?: { readonly name: string; readonly args: unknown };
        }[];
      };
    },
  ];
  readonly usageMetadata: {
    readonly promptTokenCount: number;
    readonly cachedContentTokenCount: number;
    readonly candidatesTokenCount: number;
    readonly thoughtsTokenCount: number;
  };
};

const gemini: OwnWire = {
  api: "gemini",
  path: (model) => `/v1beta/models/${model}:generateContent`,
  added: ["tools"],
  body: (_, rendered) => ({ tools: [{ functionDeclarations: described }], ...rendered }),
  read(answer) {
    const { responseId, candidates, usageMetadata: usage } = answer as unknown as GeminiAnswer;
    const [{ content }] = candidates;
    const { parts } = content;
    return {
      id: responseId,
      text: joined(parts.filter(({ thought }) => thought !== true).map(({ text }) => text)),
      thinking: joined(parts.filter(({ thought }) => thought === true).map(({ text }) => text)),
      // This interface names its calls by their position: the agent gives each an id.
      calls: parts
        .flatMap(({ functionCall }) => functionCall ?? [])
        .map(({ name, args }, i): OwnCall => ({
          id: `${responseId}x${i}`,
          name,
          input: args,
          native: { provider: "gemini", modelContent: content },
        })),
      usage: {
        uncached: usage.promptTokenCount - usage.cachedContentTokenCount,
        cacheRead: usage.cachedContentTokenCount,
        cacheWrite: 0,
        output: usage.candidatesTokenCount + usage.thoughtsTokenCount,
        reasoning: usage.thoughtsTokenCount,
      },
    };
  },
};

export const OWN_WIRES: Readonly<Record<OwnWireId, OwnWire>> = {
  anthropic,
  "openai-responses": responses,
  "openai-chat": chat,
  gemini,
};

/** Asks the model. Fails where it refuses. */
export async function askModel(wire: OwnWire, url: string, model: string, rendered: Body): Promise<ModelAnswer> {
  const response = await fetch(url + wire.path(model), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wire.body(model, rendered)),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  return wire.read((await response.json()) as Body);
}
