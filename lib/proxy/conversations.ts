// Which file a request belongs to. A session that the request names; else the conversation that it continues: one whose last
// request's messages it begins with. Else it begins a new one.
import { hash, randomBytes } from "node:crypto";
import type { CapturedHeader } from "#lib/kernel/captured-record.ts";
import { asObject, type ReadRequest } from "./read-request.ts";

export type Conversation = {
  readonly id: string;
  readonly session: CapturedHeader["session"];
  /** Messages of the last request, and the digest of all of them. */
  known: number;
  chain: string;
};

/** Conversations without a name that may go on; the oldest is forgotten: what comes of it begins anew. */
const REMEMBERED = 512;

export class Conversations {
  readonly #byChain = new Map<string, Conversation>();
  readonly #named = new Map<string, Conversation>();

  /** The conversation of a request, and how many of its messages are new. */
  find({ session, messages }: Pick<ReadRequest, "session" | "messages">): {
    readonly conversation: Conversation;
    readonly isNew: boolean;
    readonly from: number;
  } {
    if (session !== null) return this.#findNamed(session);
    const chains = chainsOf(messages);
    for (let n = chains.length; n > 0; n--) {
      const found = this.#byChain.get(chains[n - 1]!);
      if (found === undefined) continue;
      this.#byChain.delete(found.chain);
      return { conversation: this.#remember(found, chains), isNew: false, from: n };
    }
    const fresh = { id: `c-${Date.now().toString(36)}${randomBytes(4).toString("hex")}`, session, known: 0, chain: "" };
    return { conversation: this.#remember(fresh, chains), isNew: true, from: 0 };
  }

  #findNamed(session: NonNullable<CapturedHeader["session"]>) {
    const id = `${session.format}-${session.id}`;
    const known = this.#named.get(id);
    const conversation = known ?? { id, session, known: 0, chain: "" };
    this.#named.set(id, conversation);
    return { conversation, isNew: known === undefined, from: 0 };
  }

  #remember(conversation: Conversation, chains: readonly string[]): Conversation {
    conversation.known = chains.length;
    conversation.chain = chains.at(-1) ?? "";
    if (conversation.chain !== "") this.#byChain.set(conversation.chain, conversation);
    if (this.#byChain.size > REMEMBERED) this.#byChain.delete(this.#byChain.keys().next().value!);
    return conversation;
  }
}

/** A digest of the first message, of the first two, and so on. */
function chainsOf(messages: readonly unknown[]): string[] {
  let before = "";
  return messages.map((message) => (before = hash("sha256", `${before}\n${JSON.stringify(message)}`, "hex")));
}

/** What a request adds: the answer before it, which comes first, is recorded already. */
export function messagesSince(messages: readonly unknown[], from: number): unknown[] {
  const added = messages.slice(from);
  const first = from === 0 ? 0 : added.findIndex((message) => !isOfModel(asObject(message)));
  return first < 0 ? [] : added.slice(first);
}

const isOfModel = ({ role, type }: Readonly<Record<string, unknown>>): boolean =>
  role === "assistant" || role === "model" || /^(reasoning|\w+_call)$/.test(String(type));
