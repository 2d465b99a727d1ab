// Reads a provider's answer beside its client, from a copy of the bytes: whole or streamed, they go through unchanged.
import { readAnswer } from "#lib/kernel/provider-answer.ts";
import type { ModelAnswer } from "./conversation.ts";
import type { ProviderReader } from "./provider-bodies.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export const pathOf = (input: string | URL | Request): string =>
  new URL(input instanceof Request ? input.url : input).pathname;

/** The response, with its answer told before the client has the end of it: a tool runs after the call that asks for it. */
export async function watchAnswer(
  response: Response,
  reader: ProviderReader,
  onAnswer: (answer: ModelAnswer) => void,
): Promise<Response> {
  const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
  if (!isStream) {
    const text = await response.clone().text();
    quietly(() => onAnswer(reader.answered(JSON.parse(text) as never)));
    return response;
  }
  const copy = new TextDecoder();
  let text = "";
  const tell = (): void => {
    const events = text;
    text = "";
    const answer = readAnswer(events, reader.api);
    if (answer !== null) quietly(() => onAnswer(reader.answered(answer)));
  };
  const watched = response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        text += copy.decode(piece, { stream: true });
        if (isAtEnd(text)) tell();
        controller.enqueue(piece);
      },
      flush: tell,
    }),
  );
  const { status, statusText, headers } = response;
  const passed = new Response(watched, { status, statusText, headers });
  // A new Response has no address; SDKs show it in errors.
  Object.defineProperty(passed, "url", { value: response.url });
  return passed;
}

/** The events that end an answer: clients go on from them, before the connection ends. */
const END = /\n(?:event: message_stop|event: response\.completed|data: \[DONE\])[\s\S]*\n\n$/;
/** Only the end is looked at: a long stream is not searched for each piece (characters). */
const isAtEnd = (text: string): boolean =>
  text.endsWith("\n\n") &&
  (END.test(text.slice(-200)) ||
    /"type":\s*"response\.completed"/.test(text.slice(text.lastIndexOf("\n\n", text.length - 3) + 1).slice(0, 400)));

/** What cannot be read is not recorded: the agent's call is the agent's. */
export function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A body of another shape: a provider of its own kind behind the same address.
  }
}
