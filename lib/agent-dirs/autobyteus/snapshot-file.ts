// working_context_snapshot.json: compact, no newline at the end. Schema 1 in the first generation, exactly 3 in the second.
import type { Message } from "#lib/kernel/context/message.ts";
import { deserializeSnapshot, serializeSnapshot } from "#lib/kernel/memory/snapshot-serializer.ts";
import type { MemorySnapshot } from "#lib/kernel/memory/memory-types.ts";
import { asNumber, asText, valueText } from "./json-value.ts";
import { isObject, readObject } from "./trace-lines.ts";
import type { Generation } from "./raw-trace.ts";

const SCHEMA: Readonly<Record<Generation, number>> = { 1: 1, 2: 3 };

/** The number in a snapshot, whatever else is in it. */
export const schemaOf = (bytes: Buffer): number | null => asNumber(readObject(bytes)?.["schema_version"]);

/** The snapshot of a file, or why it is none. */
export function snapshotOf(bytes: Buffer, generation: Generation | null): MemorySnapshot | string {
  const value = readObject(bytes);
  if (value === null) return "it is not a JSON object.";
  const schemaVersion = asNumber(value["schema_version"]);
  const messages = value["messages"];
  if (schemaVersion === null) return "its schema_version is not a number.";
  if (generation === 2 && schemaVersion !== SCHEMA[2])
    return `its schema_version is ${schemaVersion}, not ${SCHEMA[2]}.`;
  if (asText(value["agent_id"]) === null) return "its agent_id is not a text.";
  if (!Array.isArray(messages)) return "its messages are not a list.";
  const odd = messages.findIndex((message) => !isObject(message) || typeof message["role"] !== "string");
  if (odd >= 0) return `its message ${odd + 1} has no role.`;
  return deserializeSnapshot(value) ?? "it is not a snapshot.";
}

/** The bytes of a snapshot in a folder of a generation, whichever schema it came with. */
export const snapshotText = (snapshot: MemorySnapshot, generation: Generation): string =>
  valueText(serializeSnapshot({ ...snapshot, schemaVersion: SCHEMA[generation] }));

/** What was said since a snapshot, in one that grew from it; null when it did not. */
export function laterMessages(earlier: MemorySnapshot, present: MemorySnapshot): readonly Message[] | null {
  const texts = (snapshot: MemorySnapshot): string[] =>
    (serializeSnapshot(snapshot)["messages"] as unknown[]).map(valueText);
  const [before, now] = [texts(earlier), texts(present)];
  return before.every((text, at) => now[at] === text) ? present.messages.slice(before.length) : null;
}
