// Files of tools that keep each model call with all that was sent: conversations in which every call has the messages of those before it.
// And files that are no JSON.
import { conversation } from "./generated-conversation.ts";
import { aiderChat, inspectSample, observations } from "./grown-conversations.ts";
import { flatSpans, otlpLines } from "./grown-spans.ts";

/** Parts until they have so many bytes. */
function until<T>(size: number, make: (n: number) => readonly T[]): T[] {
  const made: T[] = [];
  for (let [n, bytes] = [0, 0]; bytes < size; n++) {
    const part = make(n);
    bytes += JSON.stringify(part).length;
    made.push(...part);
  }
  return made;
}

type Files = Readonly<Record<string, (text: string, size: number) => string>>;

const documentOf = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

export const CONVERSATIONS: Files = {
  aider: (_text, size) => until(size, (n) => [aiderChat(conversation(n), n)]).join(""),
  inspect: (text, size) =>
    JSON.stringify({ ...documentOf(text), samples: until(size, (n) => [inspectSample(conversation(n), n)]) }),
  langfuse: (text, size) =>
    JSON.stringify({ ...documentOf(text), observations: until(size, (n) => observations(conversation(n), n)) }),
  openinference: (_text, size) => JSON.stringify({ data: until(size, (n) => flatSpans(conversation(n), n)) }),
  otlp: (_text, size) => `${until(size, (n) => otlpLines(conversation(n), n)).join("\n")}\n`,
};
