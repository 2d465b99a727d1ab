// Memory as a middleware of LangChain's `createAgent`. The agent's state keeps every message; only what is sent is compacted.
import { HumanMessage, type AIMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import type { ArtifactKit } from "../artifact-kit.ts";
import type { HistoryPart } from "./compact-history.ts";
import { HistoryMemory, type HistoryShape, type MemoryOptions } from "./history-memory.ts";

/** `createAgent({ middleware: [plimsollMiddleware(kit), memoryMiddleware(kit)] })`: compacts what would be too near the load line. */
export function memoryMiddleware(kit: ArtifactKit, options: MemoryOptions = {}): AgentMiddleware {
  const memory = new HistoryMemory(options);
  const middleware: Pick<AgentMiddleware, "name" | "wrapModelCall"> = {
    name: "plimsoll_memory",
    async wrapModelCall(request, handler) {
      const { messages, compacted, answered } = await memory.fit(request.messages, shape);
      if (compacted !== null) kit.conversation?.compacted(compacted);
      const answer = await handler({ ...request, messages });
      if ("usage_metadata" in answer) answered((answer as AIMessage).usage_metadata?.input_tokens ?? 0);
      return answer;
    },
  };
  return middleware as AgentMiddleware;
}

const shape: HistoryShape<BaseMessage> = {
  isSystem: ({ type }) => type === "system",
  read(message): HistoryPart[] {
    const { type, text } = message;
    if (type === "tool") {
      const { tool_call_id: id, name, status } = message as ToolMessage;
      return [{ type: "tool_result", id, text, isError: status === "error", ...(name !== undefined && { name }) }];
    }
    if (type !== "ai") return [{ type: "user", text }];
    const said: HistoryPart[] = text === "" ? [] : [{ type: "assistant", text }];
    const calls = (message as AIMessage).tool_calls ?? [];
    return [
      ...said,
      ...calls.map(({ id = "", name, args }) => ({ type: "tool_call" as const, id, name, input: args })),
    ];
  },
  summary: (text) => new HumanMessage(text),
};
