// A `fetch` for the clients of providers: what is sent and answered is recorded, and goes through unchanged. The answer is read
// beside the client, from a copy of its bytes: nobody waits for the recorder, and what it cannot read is not recorded.
import type { ArtifactKit } from "./artifact-kit.ts";
import { readerOf } from "./provider-bodies.ts";
import { pathOf, quietly, watchAnswer, type Fetch } from "./provider-answers.ts";

/** `new OpenAI({ fetch: recordingFetch(kit) })`, `new Anthropic({ fetch: recordingFetch(kit) })`. */
export function recordingFetch(kit: ArtifactKit, send: Fetch = fetch): Fetch {
  const { conversation } = kit;
  if (conversation === null) return send;
  return async (input, init) => {
    const reader = readerOf(pathOf(input));
    if (reader === null || typeof init?.body !== "string") return send(input, init);
    const body = init.body;
    const response = await send(input, init);
    // What is refused is sent again, by the SDK or by the agent.
    if (!response.ok || response.body === null) return response;
    quietly(() => {
      const request = JSON.parse(body) as Record<string, unknown>;
      conversation.sent(reader.sent(request), reader.isContinued(request));
    });
    return watchAnswer(response, reader, (answer) => conversation.answered(answer));
  };
}
