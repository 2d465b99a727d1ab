// A generation inside of a generation is one call, told by two instrumentations. The inner one has the provider's counts, and may have
// the messages as one text, with each message behind its role; then the outer one has the calls of tools.
import type { Json } from "../json.ts";
import { callsIn, outputMessages, valueOf } from "./foreign-span.ts";

export type Messages = { readonly input: readonly unknown[]; readonly output: readonly unknown[] };
type Call = { readonly id: string; readonly name: string };

const ROLE = /^(developer|system|user|assistant|tool): /;

/** The messages of the inner generation, with what the outer one has beyond them. `calls`: those that were made before, in order. */
export function fromOuter(own: Messages, inner: Json, outer: Json, calls: readonly Call[]): Messages {
  const text = valueOf(inner["input"]);
  if (typeof text !== "string" || !ROLE.test(text)) return own;
  const around = outputMessages(outer["output"]);
  const hasCalls = callsIn(around).length > callsIn(own.output).length;
  return { input: messagesIn(text, calls), output: hasCalls ? around : own.output };
}

/** The messages of a text with a role before each. Results stand in the order of their calls, and name none. */
function messagesIn(text: string, calls: readonly Call[]): unknown[] {
  const messages = text.split(/\n(?=(?:developer|system|user|assistant|tool): )/).map((one) => {
    const role = ROLE.exec(one)![1]!;
    return { role: role === "developer" ? "system" : role, content: one.slice(role.length + 2) };
  });
  let result = 0;
  return messages.flatMap((message) => {
    // An answer without words: only calls, which stand in the answer before.
    if (message.role === "assistant" && message.content === "None") return [];
    return message.role === "tool" ? { ...message, tool_call_id: calls[result++]?.id ?? null } : message;
  });
}
