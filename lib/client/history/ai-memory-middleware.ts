// Memory as a middleware of the AI SDK: prompts are what a language model is given, one message for each role's turn.
import type { LanguageModelMiddleware } from "ai";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { ArtifactKit } from "../artifact-kit.ts";
import type { HistoryPart } from "./compact-history.ts";
import { HistoryMemory, type FittedHistory, type HistoryShape, type MemoryOptions } from "./history-memory.ts";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type PromptMessage = Params["prompt"][number];
type StreamPart =
  Awaited<
    ReturnType<Parameters<NonNullable<LanguageModelMiddleware["wrapStream"]>>[0]["doStream"]>
  >["stream"] extends ReadableStream<infer P>
    ? P
    : never;

/** Compacts each prompt that would be too near the load line. Put it behind `artifactMiddleware`, which goes first. */
export function memoryMiddleware(kit: ArtifactKit, options: MemoryOptions = {}): LanguageModelMiddleware {
  const memory = new HistoryMemory(options);
  const fitted = new WeakMap<Params, FittedHistory<PromptMessage>>();
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const fit = await memory.fit(params.prompt, shape);
      if (fit.compacted !== null) kit.conversation?.compacted(fit.compacted);
      const changed = { ...params, prompt: fit.messages };
      fitted.set(changed, fit);
      return changed;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      fitted.get(params)?.answered(result.usage.inputTokens.total ?? 0);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      const watch = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          if (part.type === "finish") fitted.get(params)?.answered(part.usage.inputTokens.total ?? 0);
          controller.enqueue(part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(watch) };
    },
  };
}

const shape: HistoryShape<PromptMessage> = {
  isSystem: ({ role }) => role === "system",
  read: ({ role, content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => partOf(role === "assistant" ? role : "user", part)),
  summary: (text) => ({ role: "user", content: [{ type: "text", text }] }),
};

function partOf(role: "user" | "assistant", part: Exclude<PromptMessage["content"], string>[number]): HistoryPart[] {
  switch (part.type) {
    case "text":
      return [{ type: role, text: part.text }];
    case "reasoning":
      return [{ type: "reasoning", text: part.text }];
    case "file":
      return [{ type: role, text: `[${part.mediaType}${part.filename === undefined ? "" : ` ${part.filename}`}]` }];
    case "tool-call":
      return [{ type: "tool_call", id: part.toolCallId, name: part.toolName, input: part.input }];
    case "tool-result": {
      const { output } = part;
      const text = "value" in output ? textOfValue(output.value) : textOfValue(output);
      const isError = output.type.startsWith("error");
      return [{ type: "tool_result", id: part.toolCallId, name: part.toolName, text, isError }];
    }
    default:
      return [];
  }
}
