// Threads of Amp, one JSON document each, written anew as they grow. The messages are those of Anthropic with Amp's own results; the
// ledger of requests stands beside them. docs/formats/amp.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { infoDrafts } from "./amp/amp-info.ts";
import { AmpLedger } from "./amp/amp-ledger.ts";
import { homeFolder } from "./home-folder.ts";
import { asArray, asObject, asWhole, isObject, type Json } from "./json.ts";
import { headValue, valueAt } from "./json-parts.ts";
import { messagesPieces, startMessages, type MessagesState } from "./messages/messages-document.ts";
import { joined, noteAt } from "./placed-drafts.ts";

export const amp: Format<MessagesState> = {
  id: "amp",
  label: "Amp",
  signs: "a thread with messages and an id of T-…",
  // 2: prompts of OpenAI's models that stand as written to the cache; summaries, and commands of a person's.
  version: 2,
  reader: "lines",
  isDocument: ({ head }) => isThread(head),
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const data = env["XDG_DATA_HOME"] || (home ? [home, ".local", "share"].join(separator) : null);
    return data === null ? [] : [[data, "amp", "threads"].join(separator)];
  },
  wants: (path) => /[\\/]threads[\\/]T-[^\\/]+\.json$/.test(path),
  detect: ({ head }) => isThread(head),
  start: startMessages,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

/** `created` or `v` stand in each thread that Amp wrote. */
function isThread(head: Uint8Array): boolean {
  const value = headValue(head);
  if (!isObject(value) || typeof value["id"] !== "string" || !/^T-[\w-]{4,}$/.test(value["id"])) return false;
  return (asWhole(value["v"]) !== null || asWhole(value["created"]) !== null) && hasMessages(value["messages"]);
}

/** Of a cut head the first ones are known. */
const hasMessages = (messages: unknown): boolean =>
  Array.isArray(messages) && asArray(messages).every((one) => isObject(one) && typeof one["role"] === "string");

function* pieces(record: SourceRecord, state: MessagesState): Generator<readonly Draft[]> {
  const ledger = record.oversized === true ? null : new AmpLedger(record.bytes);
  for (const drafts of messagesPieces(record, state)) {
    const message = messageOf(drafts, record);
    yield infoDrafts(message, drafts) ?? ledger?.answer(drafts, message) ?? drafts;
  }
  const rest = ledger?.rest() ?? null;
  if (rest !== null) yield [rest];
  if (ledger === null || ledger.credits === 0) return;
  const { byteStart, byteEnd } = record;
  const said = `${ledger.credits} credits for ${ledger.requests} requests`;
  yield [noteAt({ lane: "", ts: null, key: null, byteStart, byteEnd }, "usage ledger", said)];
}

/** The message that these drafts are of. */
function messageOf(drafts: readonly Draft[], { bytes, byteStart: base }: SourceRecord): Json {
  for (const draft of drafts)
    if (draft.kind === "event" && draft.byteStart !== undefined && draft.byteEnd !== undefined)
      return asObject(valueAt(bytes, { from: draft.byteStart - base, to: draft.byteEnd - base }));
  return {};
}
