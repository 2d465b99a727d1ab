// The blocks of a file that was written for an agent to go on in, as the agent sends them; and those of a request.
import type { AgentId } from "./agent-packages.ts";
import { canonicalJson } from "./canonical-json.ts";
import { plainChat, plainContents } from "./plain-items.ts";
import type { KeptRequest } from "./script-types.ts";

type Json = Readonly<Record<string, unknown>>;

/** Shown blocks that were not sent, in the order in which they were shown; and what was sent beside them. */
export function compareBlocks(shown: readonly string[], sent: readonly string[]) {
  const extra = [...sent];
  let from = 0;
  const missing = shown.filter((block) => {
    const at = extra.indexOf(block, from);
    if (at < 0) return true;
    extra.splice(at, 1);
    from = at;
    return false;
  });
  return { missing, extra };
}

/** Messages of a person, the model and tools; a system message is the agent's announcement. */
export function sentBlocks({ api, body }: KeptRequest): string[] {
  if (api === "chat") return plainChat(body["messages"]).map((one) => plainJson(one as Json));
  if (api === "gemini") return plainContents(body["contents"]).map((one) => plainJson(one as Json));
  const list = (body["messages"] ?? body["input"]) as readonly Json[];
  return list.flatMap((message) =>
    message["role"] === "system" || message["role"] === "developer" ? [] : blocksOf(message),
  );
}

function blocksOf(message: Json): string[] {
  const { role, content } = message;
  if (content === undefined || message["type"] === "reasoning") return [plainJson(message)];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly Json[]);
  return blocks.map((block) => plainJson({ role, ...block, ...textOf(block) }));
}

/** Claude Code parts texts that it puts into one message with a line break. */
const textOf = ({ text }: Json): Json =>
  typeof text === "string" ? { type: "text", text: text.replace(/\n$/, "") } : {};

/** Without cache marks and what a provider's answer had beside. */
const plainJson = ({ cache_control: _mark, caller: _caller, ...block }: Json): string => canonicalJson(block);

/** Of a file that was written, what its agent sends. */
export const shownBlocks = (agent: AgentId, records: readonly Json[]): string[] => SHOWN[agent]!(records);

const SHOWN: Readonly<Record<string, (records: readonly Json[]) => string[]>> = {
  codex: (records) => {
    const start = records.findLastIndex(({ type }) => type === "compacted");
    return records.slice(Math.max(0, start)).flatMap(({ type, payload }) => {
      const {
        replacement_history: history,
        internal_chat_message_metadata_passthrough: _beside,
        ...item
      } = payload as Json;
      const items = type === "compacted" ? (history as readonly Json[]) : type === "response_item" ? [item] : [];
      return items.filter(({ role }) => role !== "developer").flatMap(blocksOf);
    });
  },
  pi: (records) => {
    const compaction = records.findLast(({ type }) => type === "compaction");
    const start = records.findIndex(({ id }) => compaction === undefined || id === compaction["firstKeptEntryId"]);
    const kept = start < 0 ? [] : records.slice(start).filter(({ type }) => type === "message");
    const summary = compaction === undefined ? [] : [{ role: "user", text: piSummary(String(compaction["summary"])) }];
    return [
      ...summary.flatMap(({ role, text }) => blocksOf({ role, content: text })),
      ...kept.flatMap(({ message }) => piBlocks(message as Json)),
    ];
  },
  opencode: ([document]) =>
    (document!["messages"] as readonly OpenCodeMessage[]).flatMap(({ info, parts }) =>
      openCodeBlocks(info["role"], parts),
    ),
  copilot: (records) => {
    const start = records.findLastIndex(({ type }) => type === "session.compaction_complete");
    const blocks = records.slice(Math.max(0, start)).map(({ type, data }) => ({ type, data: data as Json }));
    return inOrderOfCalls(blocks).flatMap(({ type, data }) => copilotBlocks(String(type), data));
  },
  gemini: (records) =>
    records.slice(1).flatMap((message) => {
      const { type, content, toolCalls = [] } = message as { toolCalls?: readonly Json[] } & Json;
      const parts = typeof content === "string" ? [{ text: content }] : (content as readonly Json[]);
      const calls = toolCalls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
      const results = toolCalls.flatMap(({ result }) => result as readonly Json[]);
      const contents = [
        { role: type === "user" ? "user" : "model", parts: [...parts, ...calls] },
        { role: "user", parts: results },
      ];
      return plainContents(contents).map((one) => plainJson(one as Json));
    }),
  qwen: (records) => {
    const start = records.findLastIndex(({ subtype }) => subtype === "chat_compression");
    const history = ((records[start]?.["systemPayload"] as Json | undefined)?.["compressedHistory"] ?? []) as Json[];
    const messages = records
      .slice(start + 1)
      .flatMap(({ message }) => (message === undefined ? [] : [message as Json]));
    return [...history, ...messages].flatMap(qwenBlocks);
  },
  claude: (records) =>
    records.flatMap((record) =>
      record["type"] === "user" || record["type"] === "assistant" ? blocksOf(record["message"] as Json) : [],
    ),
};

/** The words that pi puts around a summary. */
const piSummary = (text: string): string =>
  `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${text}\n</summary>`;

/** A message of pi's file, as its Anthropic adapter sends it. */
function piBlocks({ role, content, toolCallId, isError }: Json): string[] {
  const blocks = content as readonly Json[];
  if (role === "toolResult") {
    const text = blocks.map((block) => String(block["text"])).join("\n");
    return [
      plainJson({ role: "user", type: "tool_result", tool_use_id: toolCallId, content: text, is_error: isError }),
    ];
  }
  return blocks.flatMap((block) =>
    block["type"] === "toolCall"
      ? [plainJson({ role, type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] })]
      : blocksOf({ role, content: [block] }),
  );
}

/** A content of Qwen Code's file, as its adapter for chat completions sends it. */
function qwenBlocks({ role, parts }: Json): string[] {
  return (parts as readonly Json[]).flatMap((part): string[] => {
    const call = part["functionCall"] as Json | undefined;
    const answer = part["functionResponse"] as Json | undefined;
    if (call !== undefined) return [canonicalJson({ call: call["id"], name: call["name"], arguments: call["args"] })];
    if (answer !== undefined) {
      const { output, error } = answer["response"] as Json;
      const images = ((answer["parts"] ?? []) as readonly Json[]).map(() =>
        canonicalJson({ role: "user", image: true }),
      );
      return [canonicalJson({ result: answer["id"], output: output ?? error }), ...images];
    }
    if (part["thought"] === true || part["text"] === undefined) return [];
    return [canonicalJson({ role: role === "model" ? "assistant" : role, text: part["text"] })];
  });
}

type OpenCodeMessage = { readonly info: Json; readonly parts: readonly Json[] };

/** A message of OpenCode's document, as its adapter for chat completions sends it: the results of a step stand behind its calls. */
function openCodeBlocks(role: unknown, parts: readonly Json[]): string[] {
  const calls = parts.filter(({ type }) => type === "tool").map((part) => ({ ...part, state: part["state"] as Json }));
  return [
    ...parts.flatMap(({ type, text, mime }) => {
      if (type === "text") return [canonicalJson({ role, text })];
      if (type === "compaction") return [canonicalJson({ role, text: "What did we do so far?" })];
      return type === "file" && String(mime).startsWith("image/") ? [canonicalJson({ role, image: true })] : [];
    }),
    ...calls.map((call: Json) =>
      canonicalJson({ call: call["callID"], name: call["tool"], arguments: (call["state"] as Json)["input"] }),
    ),
    ...calls.map((call: Json) => {
      const { output, error } = call["state"] as Json;
      return canonicalJson({ result: call["callID"], output: output ?? error });
    }),
  ];
}

/** An event of Copilot's file, as its adapter for Messages sends it. The words around a summary are its own. */
function copilotBlocks(type: string, data: Json): string[] {
  if (type === "session.compaction_complete")
    return blocksOf({ role: "user", content: `${COPILOT_SUMMARY_START}${String(data["summaryContent"])}\n</summary>` });
  if (type === "user.message")
    return blocksOf({ role: "user", content: data["transformedContent"] ?? data["content"] });
  if (type === "tool.execution_complete") {
    const { toolCallId, success, result, error } = data;
    const content = (result as Json | undefined)?.["content"] ?? (error as Json | undefined)?.["message"];
    const failed = success === false ? { is_error: true } : {};
    return [plainJson({ role: "user", type: "tool_result", tool_use_id: toolCallId, content, ...failed })];
  }
  if (type !== "assistant.message") return [];
  const said = data["content"] === "" ? [] : blocksOf({ role: "assistant", content: data["content"] });
  const calls = ((data["toolRequests"] ?? []) as readonly Json[]).map(({ toolCallId, name, arguments: input }) =>
    plainJson({ role: "assistant", type: "tool_use", id: toolCallId, name, input }),
  );
  return [...said, ...calls];
}

const COPILOT_SUMMARY_START =
  "Some of the conversation history has been summarized to free up context.\n\nHere is a summary of the prior context:\n<summary>\n";

type CopilotEvent = { readonly type: unknown; readonly data: Json };

/** A file has the results of parallel calls in the order in which they came; they are sent in that of the calls. */
function inOrderOfCalls(events: readonly CopilotEvent[]): CopilotEvent[] {
  const calls = events.flatMap(({ data }) =>
    ((data["toolRequests"] ?? []) as readonly Json[]).map((one) => one["toolCallId"]),
  );
  const isResult = ({ type }: CopilotEvent): boolean => type === "tool.execution_complete";
  const results = events
    .filter(isResult)
    .toSorted((a, b) => calls.indexOf(a.data["toolCallId"]) - calls.indexOf(b.data["toolCallId"]));
  let next = 0;
  return events.map((event) => (isResult(event) ? results[next++]! : event));
}
