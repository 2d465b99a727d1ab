// A generation inside of a generation is one call, told by two instrumentations. The inner one has the provider's counts, and may have
// the messages as one text, with each message behind its role; then the outer one has the calls of tools.
import type { Json } from "../json.ts";
import { conversation, isTalk, messagesOfText, valueOf, type Messages } from "./foreign-messages.ts";
import { callsIn, type Call, type MadeUpIds } from "./linked-messages.ts";

/** The messages of the inner generation, with what the outer one has beyond them. `calls`: those that were made before, in order. */
export function fromOuter(own: Messages, inner: Json, outer: Json, calls: readonly Call[], ids: MadeUpIds): Messages {
  const text = valueOf(inner["input"]);
  if (!isTalk(text)) return own;
  const around = conversation(outer["input"], outer["output"], ids).output;
  const hasCalls = callsIn(around).length > callsIn(own.output).length;
  return { input: messagesOfText(text, calls), output: hasCalls ? around : own.output };
}
