// The message parts of four providers' requests, written from their public API references: strict, so that a field that
// a provider does not know is found, with the rules between messages that their schemas cannot say.
import { z } from "zod";

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const imageUrl = z.string().regex(/^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$)/);
const argumentsText = z.string().refine((text) => isPlainObject(JSON.parse(text)), "Arguments are no object.");
const isPlainObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

// OpenAI Chat Completions: ChatCompletionRequestMessage.
const chatText = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });
const chatPart = z.discriminatedUnion("type", [
  chatText,
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({ url: imageUrl, detail: z.enum(["auto", "low", "high"]).optional() }),
  }),
  z.strictObject({
    type: z.literal("input_audio"),
    input_audio: z.strictObject({ data: z.base64().min(1), format: z.enum(["wav", "mp3"]) }),
  }),
]);
const chatCall = z.strictObject({
  id: z.string().min(1).max(64),
  type: z.literal("function"),
  function: z.strictObject({ name, arguments: argumentsText }),
});
const chatMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(chatPart).min(1)]) }),
  z
    .strictObject({
      role: z.literal("assistant"),
      content: z.string().nullable(),
      /** Not OpenAI's: DeepSeek's, and asked for by option. */
      reasoning_content: z.string().optional(),
      tool_calls: z.array(chatCall).min(1).optional(),
    })
    .refine(({ content, tool_calls }) => content !== null || tool_calls !== undefined, "Neither words nor calls."),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().min(1).max(64), content: z.string() }),
]);
type ChatMessage = z.infer<typeof chatMessage>;

const chatRequest = z.strictObject({ messages: z.array(chatMessage) }).superRefine(({ messages }, context) => {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (!takenFrom(open, message.tool_call_id)) context.addIssue(`${message.tool_call_id} answers nothing.`);
      continue;
    }
    if (open.length > 0) context.addIssue(`${open.join()} has no answer.`);
    open = callIds(message);
  }
  if (open.length > 0) context.addIssue(`${open.join()} has no answer.`);
});
/** Providers ask for each answer once, in any order: agents send them as their tools end. */
function takenFrom(open: string[], id: string): boolean {
  const at = open.indexOf(id);
  if (at >= 0) open.splice(at, 1);
  return at >= 0;
}
const callIds = (message: ChatMessage): string[] =>
  message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];

// OpenAI Responses: InputItem. Replayed items may have fields of their own.
const status = z.enum(["in_progress", "completed", "incomplete"]);
const inputPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("input_text"), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal("input_image"),
    image_url: imageUrl,
    detail: z.enum(["auto", "low", "high", "original"]),
  }),
]);
const inputItem = z.union([
  // An item that the service sent, replayed.
  z.strictObject({
    type: z.literal("message"),
    id: z.string(),
    role: z.literal("assistant"),
    status,
    content: z.array(z.looseObject({ type: z.enum(["output_text", "refusal"]) })),
  }),
  z
    .strictObject({
      type: z.literal("message"),
      role: z.enum(["user", "assistant", "system", "developer"]),
      content: z.union([z.string().min(1), z.array(inputPart).min(1)]),
    })
    .refine(({ role, content }) => role !== "assistant" || typeof content === "string", "The assistant's are words."),
  z.looseObject({
    type: z.literal("function_call"),
    id: z.string().startsWith("fc").optional(),
    call_id: z.string().min(1).max(64),
    name,
    arguments: argumentsText,
    status: status.optional(),
  }),
  // A call of free text, and what came of it.
  z.strictObject({
    type: z.literal("custom_tool_call"),
    id: z.string().startsWith("ctc").optional(),
    call_id: z.string().min(1).max(64),
    name,
    input: z.string(),
    status: status.optional(),
  }),
  z.strictObject({
    type: z.literal("custom_tool_call_output"),
    call_id: z.string().min(1).max(64),
    output: z.union([z.string(), z.array(inputPart).min(1)]),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    call_id: z.string().min(1).max(64),
    output: z.union([z.string(), z.array(inputPart).min(1)]),
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    // What is sealed needs none: Codex 0.140 sent it without.
    id: z.string().optional(),
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullable().optional(),
  }),
]);
const responsesRequest = z.strictObject({ input: z.array(inputItem) }).superRefine(({ input }, context) => {
  const open: string[] = [];
  const seen = new Set<string>();
  input.forEach((item, i) => {
    if (item.type === "function_call" || item.type === "custom_tool_call") {
      if (seen.has(item.call_id)) context.addIssue(`${item.call_id} is used twice.`);
      seen.add(item.call_id);
      open.push(`${item.type}_output ${item.call_id}`);
    } else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      if (!takenFrom(open, `${item.type} ${item.call_id}`)) context.addIssue(`${item.call_id} answers nothing.`);
    } else if (item.type === "message" && open.length > 0) context.addIssue(`${open.join()} has no answer.`);
    else if (item.type === "reasoning" && /^undefined$|_output$/.test(String(input[i + 1]?.type)))
      context.addIssue("Reasoning leads to nothing.");
  });
  if (open.length > 0) context.addIssue(`${open.join()} has no answer.`);
});

// Anthropic Messages: MessageParam, with its limits on ids, text and turns.
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const textBlock = z.strictObject({ type: z.literal("text"), text: z.string().regex(/\S/) });
const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.base64().min(1),
    }),
    z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https$/ }) }),
  ]),
});
const useBlock = z.strictObject({
  type: z.literal("tool_use"),
  id: toolUseId,
  name,
  input: z.record(z.string(), z.unknown()),
});
const thinkingBlock = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string().min(1) }),
]);
const resultBlock = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: toolUseId,
  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock])).min(1)]),
  is_error: z.literal(true).optional(),
});
const anthropicMessage = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string().regex(/\S/), z.array(z.union([textBlock, imageBlock, resultBlock])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([z.string().regex(/\S/), z.array(z.union([textBlock, useBlock, thinkingBlock])).min(1)]),
  }),
]);
const anthropicRequest = z
  .strictObject({ system: z.string().regex(/\S/).optional(), messages: z.array(anthropicMessage) })
  .superRefine(({ messages }, context) => {
    const seen = new Set<string>();
    if (messages[0]?.role === "assistant") context.addIssue("The user does not begin.");
    messages.forEach((message, i) => {
      if (message.role === messages[i + 1]?.role) context.addIssue("Two messages of one role meet.");
      if (message.role === "user") {
        const types = typeof message.content === "string" ? [] : message.content.map(({ type }) => type);
        if (types.lastIndexOf("tool_result") >= types.filter((type) => type === "tool_result").length)
          context.addIssue("Something stands before a result.");
        if (types.includes("tool_result") && messages[i - 1]?.role !== "assistant")
          context.addIssue("A result follows no answer.");
      }
      if (isThinking(blocksOf(message).at(-1)?.type)) context.addIssue("Thinking leads to nothing.");
      const request = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      for (const id of request) {
        if (seen.has(id)) context.addIssue(`${id} is used twice.`);
        seen.add(id);
      }
      const next = messages[i + 1];
      const answered = (next === undefined ? [] : blocksOf(next)).flatMap((block) =>
        block.type === "tool_result" ? [block.tool_use_id] : [],
      );
      if (message.role === "assistant" && request.toSorted().join() !== answered.toSorted().join())
        context.addIssue(`Asked ${request.join()}, answered ${answered.join()}.`);
    });
  });
const blocksOf = ({ content }: z.infer<typeof anthropicMessage>) => (typeof content === "string" ? [] : content);

const isThinking = (type: string | undefined): boolean => type === "thinking" || type === "redacted_thinking";

// Gemini: Content and Part, with the rules on function calling turns.
const struct = z.record(z.string(), z.json());
const signed = { thought: z.boolean().optional(), thoughtSignature: z.string().optional() };
const geminiPart = z.union([
  z.strictObject({ text: z.string(), ...signed }),
  z.strictObject({ inlineData: z.strictObject({ data: z.base64().min(1), mimeType: z.string().includes("/") }) }),
  z.strictObject({ fileData: z.strictObject({ fileUri: z.string(), mimeType: z.string().includes("/") }) }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().min(1).optional(), name, args: struct }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({ id: z.string().min(1).optional(), name, response: struct }),
  }),
]);
const geminiRequest = z
  .strictObject({
    systemInstruction: z
      .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) })
      .optional(),
    contents: z.array(z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(geminiPart).min(1) })),
  })
  .superRefine(({ contents }, context) => {
    if (contents[0]?.role === "model") context.addIssue("The user does not begin.");
    contents.forEach(({ role, parts }, i) => {
      const request = parts.flatMap((part) => ("functionCall" in part ? [part.functionCall.id] : []));
      const answered = parts.flatMap((part) => ("functionResponse" in part ? [part.functionResponse.id] : []));
      if (answered.length > 0 && answered.length < parts.length) context.addIssue("Responses share their turn.");
      if (request.length > 0 && (role !== "model" || contents[i - 1]?.role === "model"))
        context.addIssue("A call comes after no user and no response.");
      const next = (contents[i + 1]?.parts ?? []).flatMap((part) =>
        "functionResponse" in part ? [part.functionResponse.id] : [],
      );
      if (role === "model" && JSON.stringify(request) !== JSON.stringify(next))
        context.addIssue(`Asked ${request.join()}, answered ${next.join()}.`);
      if (role === "user" && answered.length > 0 && contents[i - 1]?.role !== "model")
        context.addIssue("A response follows no call.");
    });
  });

/** The schema of each renderer's request. Plain text is a chat without tools. */
export const REQUESTS: Readonly<Record<string, z.ZodType>> = {
  "openai-chat": chatRequest,
  "openai-responses": responsesRequest,
  anthropic: anthropicRequest,
  gemini: geminiRequest,
  text: chatRequest.refine(
    ({ messages }) => messages.every((message) => message.role !== "tool" && !("tool_calls" in message)),
    "Plain text has no tools.",
  ),
};
