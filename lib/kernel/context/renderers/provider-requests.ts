// What the renderers make, as types: the part of a provider's request that holds the messages. scripts/sdk-types.test.ts holds them
// against the types of the providers' own SDKs. Lists are plain ones: an SDK takes no readonly list.
import type { JsonObject } from "./values.ts";

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export type AnthropicText = { type: "text"; text: string };
export type AnthropicImage = {
  type: "image";
  source: { type: "base64"; media_type: ImageType; data: string } | { type: "url"; url: string };
};
export type AnthropicCall = { type: "tool_use"; id: string; name: string; input: JsonObject };
export type AnthropicResult = {
  type: "tool_result";
  tool_use_id: string;
  content: string | (AnthropicText | AnthropicImage)[];
  is_error?: true;
};
/** As the service signed or sealed it: it takes no other. */
export type AnthropicThinking =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };
export type AnthropicBlock = AnthropicText | AnthropicImage | AnthropicCall | AnthropicResult | AnthropicThinking;
export type AnthropicMessage = { role: "user" | "assistant"; content: string | AnthropicBlock[] };
export type AnthropicRequest = { system?: string; messages: AnthropicMessage[] };

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } };
export type ChatCall = { id: string; type: "function"; function: { name: string; arguments: string } };
export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ChatPart[] }
  | {
      role: "assistant";
      content: string | null;
      /** Not OpenAI's: DeepSeek's, and asked for by option. */
      reasoning_content?: string;
      tool_calls?: ChatCall[];
    }
  | { role: "tool"; tool_call_id: string; content: string };
export type ChatRequest = { messages: ChatMessage[] };

export type ResponsesPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" };
type ItemStatus = "in_progress" | "completed" | "incomplete";
/** An item that the service itself sent, with whatever it holds. */
export type ReplayedItem =
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      encrypted_content?: string | null;
    }
  | {
      type: "message";
      id: string;
      role: "assistant";
      status: ItemStatus;
      content: ({ type: "output_text"; text: string; annotations: [] } | { type: "refusal"; refusal: string })[];
    };
export type ResponsesCall =
  | { type: "function_call"; id?: string; call_id: string; name: string; arguments: string; status: ItemStatus }
  | { type: "custom_tool_call"; id?: string; call_id: string; name: string; input: string; status: ItemStatus };
export type ResponsesResult = {
  type: "function_call_output" | "custom_tool_call_output";
  call_id: string;
  output: string | ResponsesPart[];
};
export type ResponsesItem =
  | { type: "message"; role: "user" | "assistant" | "system" | "developer"; content: string | ResponsesPart[] }
  | ResponsesCall
  | ResponsesResult
  | ReplayedItem;
export type ResponsesRequest = { input: ResponsesItem[] };

export type GeminiPart = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { data: string; mimeType: string };
  fileData?: { fileUri: string; mimeType: string };
  functionCall?: { id: string; name: string; args: JsonObject };
  functionResponse?: { id: string; name: string; response: Record<string, unknown> };
};
export type GeminiContent = { role: "user" | "model"; parts: GeminiPart[] };
export type GeminiRequest = { systemInstruction?: { parts: { text: string }[] }; contents: GeminiContent[] };

/** By the renderer's id. */
export type RequestOf = {
  anthropic: AnthropicRequest;
  "openai-chat": ChatRequest;
  "openai-responses": ResponsesRequest;
  gemini: GeminiRequest;
  text: ChatRequest;
};
