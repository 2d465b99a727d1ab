// A `fetch` for the clients of providers: what is sent and answered is recorded, and goes through unchanged. The answer is read
// beside the client, from a copy of its bytes: nobody waits for the recorder, and what it cannot read is not recorded.
import type { ArtifactKit } from "./artifact-kit.ts";
import type { Conversation } from "./conversation.ts";
import { readerOf, type ProviderReader } from "./provider-bodies.ts";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `new OpenAI({ fetch: recordingFetch(kit) })`, `new Anthropic({ fetch: recordingFetch(kit) })`. */
export function recordingFetch(kit: ArtifactKit, send: Fetch = fetch): Fetch {
  const { conversation } = kit;
  if (conversation === null) return send;
  return async (input, init) => {
    const reader = readerOf(new URL(input instanceof Request ? input.url : input).pathname);
    if (reader === null || typeof init?.body !== "string") return send(input, init);
    const body = init.body;
    const response = await send(input, init);
    // What is refused is sent again, by the SDK or by the agent.
    if (!response.ok || response.body === null) return response;
    quietly(() => {
      const request = JSON.parse(body) as Record<string, unknown>;
      conversation.sent(reader.sent(request), reader.isContinued(request));
    });
    // Read to its end before the client has the end: a tool runs after the call that asks for it.
    const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
    if (!isStream) {
      const text = await response.clone().text();
      quietly(() => conversation.answered(reader.answered(JSON.parse(text) as never)));
      return response;
    }
    const copy = new TextDecoder();
    let text = "";
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          text += copy.decode(piece, { stream: true });
          if (isAtEnd(text)) text = record(conversation, reader, text);
          controller.enqueue(piece);
        },
        flush: () => void record(conversation, reader, text),
      }),
    );
    const { status, statusText, headers } = response;
    const passed = new Response(watched, { status, statusText, headers });
    // A new Response has no address; SDKs show it in errors.
    Object.defineProperty(passed, "url", { value: response.url });
    return passed;
  };
}

/** The events that end an answer: clients go on from them, before the connection ends. */
const END = /\n(?:event: message_stop|event: response\.completed|data: \[DONE\])[\s\S]*\n\n$/;
/** Only the end is looked at: a long stream is not searched for each piece (characters). */
const isAtEnd = (text: string): boolean =>
  text.endsWith("\n\n") &&
  (END.test(text.slice(-200)) ||
    /"type":\s*"response\.completed"/.test(text.slice(text.lastIndexOf("\n\n", text.length - 3) + 1).slice(0, 400)));

function record(conversation: Conversation, reader: ProviderReader, text: string): string {
  if (text.trim() !== "") quietly(() => conversation.answered(reader.answered(reader.joined(eventsOf(text)) as never)));
  return "";
}

const eventsOf = (text: string): Record<string, unknown>[] =>
  text.split("\n").flatMap((line) => {
    const data = line.startsWith("data:") ? line.slice(5).trim() : "";
    return data === "" || data === "[DONE]" ? [] : [JSON.parse(data) as Record<string, unknown>];
  });

/** What cannot be read is not recorded: the agent's call is the agent's. */
function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A body of another shape: a provider of its own kind behind the same address.
  }
}
