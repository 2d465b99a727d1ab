import { fail } from "#lib/kernel/errors.ts";
import { eventText } from "#lib/kernel/event.ts";
import type { Archive } from "../base/archive-type.ts";
import { getEvent } from "./list-events.ts";
import { openArtifact } from "./show-artifact.ts";

export type EventOutput = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly bytes: (range?: { start: number; end: number }) => AsyncIterable<Uint8Array>;
};

/**
 * The output of a tool result as bytes: the stored artifact, else the text in the log. Fails with `not_found` for any other
 * event, and where the artifact is gone.
 */
export async function eventOutput(archive: Archive, name: string, seq: number): Promise<EventOutput> {
  const event = await getEvent(archive, name, seq);
  if (event.type !== "tool_result")
    fail("not_found", `Event ${seq} is not a tool result, so it has no output. Ask for the event itself.`);
  if (event.artifact !== null) {
    const { read, ...stored } = await openArtifact(archive, event.artifact);
    return { name: stored.name, sizeBytes: stored.sizeBytes, bytes: read };
  }
  const text = new TextEncoder().encode(eventText(event.body));
  return {
    name: `event-${seq}.txt`,
    sizeBytes: text.length,
    bytes: async function* ({ start, end } = { start: 0, end: text.length }) {
      yield text.subarray(start, end);
    },
  };
}
