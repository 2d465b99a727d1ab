// Repaired messages as what every renderer walks over: words of somebody, or an answer with its calls and their results, in
// the order of the calls or in that in which an agent sent them. Ids become such as the provider takes, the same in both.
import { callsOf, resultOf, type Message, type ToolCall } from "../message.ts";
import { mediaOf, type Media } from "./media.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { argumentsOf, copyOf, errorText, valueText, wellFormed, type Json, type JsonObject } from "./values.ts";

export type Call = {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** Id before it was made to fit: what captured items of the provider say. */
  readonly givenId: string;
  readonly native: unknown;
};

export type Result = {
  readonly id: string;
  readonly name: string;
  readonly value: Json;
  /** The value or the error in words. */
  readonly output: string;
  readonly error: string | null;
  readonly isAsSent: boolean;
  /** Lengths of the blocks that the output was sent in; empty where it is one. */
  readonly blocks: readonly number[];
  readonly media: readonly Media[];
  readonly seqs: readonly number[];
};

type Words = { readonly text: string; readonly media: readonly Media[]; readonly seqs: readonly number[] };

/** Items of the answer as the service sent them, in order; empty where none is needed. */
type Items = { readonly items: readonly JsonObject[] };

export type Said = Words &
  Items & {
    readonly kind: "said";
    readonly role: "system" | "user" | "assistant";
    readonly isDeveloper: boolean;
    readonly reasoning: string;
    /** The message names media, also such as came to nothing. */
    readonly hasMedia: boolean;
  };

export type Answer = Words &
  Items & {
    readonly kind: "answer";
    readonly reasoning: string;
    readonly calls: readonly Call[];
    readonly results: readonly Result[];
  };

export type Step = Said | Answer;

export type IdRules = {
  /** Characters that an id may have; null: any. */
  readonly characters: RegExp | null;
  readonly maxLength: number;
  /** No two calls of a request share an id. */
  readonly unique: boolean;
};

export function stepsOf(messages: readonly Message[], rules: IdRules, options: RenderOptions): Step[] {
  const fit = fitIds(rules);
  const steps: Step[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!;
    const own = callsOf(message);
    const calls = own.map((call) => callOf(call, fit(call.id)));
    const words = {
      text: wellFormed(message.content ?? ""),
      media: mediaOf(message, options),
      seqs: message.seqs ?? [],
      items: (message.outputItems ?? []).map((item) => copyOf(item) as JsonObject),
    };
    const reasoning = wellFormed(message.reasoningContent ?? "");
    if (calls.length === 0) {
      const role = message.role === "tool" ? "user" : message.role;
      const isDeveloper = message.isDeveloper === true;
      steps.push({ kind: "said", role, isDeveloper, ...words, reasoning, hasMedia: namesMedia(message) });
      continue;
    }
    const results = messages.slice(i + 1, i + 1 + calls.length).map((found) =>
      resultStep(
        found,
        calls.find(({ givenId }) => givenId === resultOf(found)!.toolCallId)!,
        options,
      ),
    );
    i += calls.length;
    steps.push({ kind: "answer", ...words, reasoning, calls, results });
  }
  return steps;
}

const namesMedia = ({ imageUrls = [], audioUrls = [], videoUrls = [] }: Message): boolean =>
  imageUrls.length + audioUrls.length + videoUrls.length > 0;

const callOf = (call: ToolCall, id: string): Call => ({
  id,
  name: call.name,
  arguments: argumentsOf(call.arguments),
  givenId: call.id,
  native: call.nativeToolCallContext,
});

function resultStep(message: Message, call: Call, options: RenderOptions): Result {
  const found = resultOf(message)!;
  // A result that is kept as the message's words alone is one too.
  const value = found.toolResult ?? message.content ?? null;
  const isAsSent = found.asSent === true;
  return {
    id: call.id,
    name: call.name,
    value: copyOf(value),
    output: found.toolError ? errorText(found.toolError, isAsSent) : valueText(value),
    error: found.toolError ? wellFormed(found.toolError) : null,
    isAsSent,
    blocks: found.blocks ?? [],
    media: mediaOf(message, options),
    seqs: message.seqs ?? [],
  };
}

/** Results in the order that a payload asks in: what a provider captured may have one of its own. */
export const inOrder = (results: readonly Result[], ids: readonly unknown[]): readonly Result[] =>
  results.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));

/** Ids in the order of their calls. What does not fit is made to, and told apart from what is there already. */
function fitIds({ characters, maxLength, unique }: IdRules): (id: string) => string {
  const taken = new Set<string>();
  return (id) => {
    const clean =
      characters === null ? wellFormed(id) : [...id].map((one) => (characters.test(one) ? one : "_")).join("");
    const isChanged = clean !== id || clean.length > maxLength;
    const fitting = isChanged ? `${clean.slice(0, maxLength - 9)}_${hashOf(id)}` : clean;
    if (!unique) return fitting;
    const own = untaken(fitting, taken, maxLength);
    taken.add(own);
    return own;
  };
}

function untaken(id: string, taken: ReadonlySet<string>, maxLength: number): string {
  let own = id;
  for (let n = 2; taken.has(own); n++) own = id.slice(0, maxLength - `_${n}`.length) + `_${n}`;
  return own;
}

/** FNV-1a, 32 bits: the same id gives the same name in every request. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
