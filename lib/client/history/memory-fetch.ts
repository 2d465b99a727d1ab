// Memory as a `fetch` for the clients of providers: Anthropic's Messages, OpenAI's chat completions and Responses. A request that
// would be too near the load line is sent with a summary in place of its oldest messages; every other one goes unchanged.
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { ArtifactKit } from "../artifact-kit.ts";
import { pathOf, watchAnswer, type Fetch } from "../provider-answers.ts";
import { list, parsed, readerOf, wordsOf, type Json } from "../provider-bodies.ts";
import type { HistoryPart } from "./compact-history.ts";
import { HistoryMemory, type HistoryShape, type MemoryOptions } from "./history-memory.ts";

/** `new OpenAI({ fetch: memoryFetch(kit, { contextTokens }, recordingFetch(kit)) })`, and so for Anthropic's. */
export function memoryFetch(kit: ArtifactKit, options: MemoryOptions = {}, send: Fetch = fetch): Fetch {
  const memory = new HistoryMemory(options);
  return async (input, init) => {
    const path = pathOf(input);
    const reader = readerOf(path);
    const request = reader === null || typeof init?.body !== "string" ? null : requestOf(init.body);
    const field = path.endsWith("/responses") ? "input" : "messages";
    // What the provider has of a conversation cannot be compacted here.
    if (reader === null || request === null || !Array.isArray(request[field]) || reader.isContinued(request))
      return send(input, init);
    const fit = await memory.fit(request[field] as Json[], field === "input" ? items : messages);
    if (fit.compacted !== null) kit.conversation?.compacted(fit.compacted);
    const body = fit.isWhole ? init!.body! : JSON.stringify({ ...request, [field]: fit.messages });
    const response = await send(input, { ...init!, body });
    if (!response.ok || response.body === null) return response;
    return watchAnswer(response, reader, ({ usage }) => {
      if (usage !== undefined) fit.answered(usage.inputUncached + usage.cacheRead + usage.cacheWrite);
    });
  };
}

/** Null for what is no object: whoever gets it says so. */
function requestOf(body: string): Json | null {
  try {
    const request: unknown = JSON.parse(body);
    return typeof request === "object" && request !== null ? (request as Json) : null;
  } catch {
    return null;
  }
}

const isInstruction = ({ role }: Json): boolean => role === "system" || role === "developer";

const said = (role: unknown, content: unknown): HistoryPart[] => {
  const text = wordsOf(content);
  // An image alone is a message too.
  if (text === "" && (role === "assistant" || !list(content).some(({ type }) => type !== "tool_result"))) return [];
  return [{ type: role === "assistant" ? "assistant" : "user", text }];
};

/** Anthropic's and those of chat completions: the fields of one are none of the other's. */
const messages: HistoryShape<Json> = {
  isSystem: isInstruction,
  read({ role, content, tool_calls, tool_call_id: id }): HistoryPart[] {
    if (role === "tool") return [{ type: "tool_result", id, text: wordsOf(content) }];
    const blocks = list(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    return [
      ...results.map((one): HistoryPart => ({
        ...{ type: "tool_result", id: one["tool_use_id"], text: wordsOf(one["content"]) },
        isError: one["is_error"] === true,
      })),
      ...said(role, content),
      ...blocks.flatMap((one): HistoryPart[] =>
        one["type"] === "tool_use"
          ? [{ type: "tool_call", id: one["id"], name: one["name"], input: one["input"] }]
          : typeof one["thinking"] === "string"
            ? [{ type: "reasoning", text: one["thinking"] }]
            : [],
      ),
      ...list(tool_calls).map((one): HistoryPart => {
        const { name = "tool", arguments: given } = one["function"] ?? {};
        return { type: "tool_call", id: one["id"], name, input: parsed(given) };
      }),
    ];
  },
  summary: (text) => ({ role: "user", content: text }),
};

/** Of the Responses interface: each call and each result is an item of its own. */
const items: HistoryShape<Json> = {
  isSystem: isInstruction,
  read({ type, role, content, call_id: id, name, arguments: given, output, summary, ...rest }): HistoryPart[] {
    // Calls and results of every kind of tool.
    if (typeof id === "string" && String(type).endsWith("_output"))
      return [{ type: "tool_result", id, text: wordsOf(output) || textOfValue(output) }];
    if (typeof id === "string") return [{ type: "tool_call", id, name: name ?? type, input: parsed(given ?? rest) }];
    if (type === "reasoning") return [{ type: "reasoning", text: wordsOf(summary) }];
    return role === undefined ? [] : said(role, content);
  },
  summary: (text) => ({ role: "user", content: text }),
};
