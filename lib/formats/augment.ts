// Sessions of Augment's command line (Auggie), one JSON document each, written anew as they grow: its exchanges stand in one list.
// docs/formats/augment.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { exchangeDrafts, sessionDrafts, type AugmentState } from "./augment/augment-exchange.ts";
import { homeFolder } from "./home-folder.ts";
import { asArray, asObject, asText, isObject, type Json } from "./json.ts";
import { elementsIn, headValue, restOfDocument, scanJson } from "./json-parts.ts";

export const augment: Format<AugmentState> = {
  id: "augment",
  label: "Auggie",
  signs: "a sessionId with a chatHistory of exchanges",
  // 2: chats of other programs are left to them. 3: each request of an exchange counts; tools of a server.
  version: 3,
  reader: "lines",
  isDocument: ({ head }) => sessionIn(head) !== null,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const root = env["AUGMENT_HOME"] || (home ? [home, ".augment"].join(separator) : null);
    return root === null ? [] : [[root, "sessions"].join(separator)];
  },
  wants: (path) => /[\\/]sessions[\\/][\w-]{8,}\.json$/.test(path),
  detect: ({ head }) => sessionIn(head) !== null,
  cleanup: "unknown",
  start: ({ head }) => ({ id: asText(sessionIn(head)?.["sessionId"]), model: null, hasTitle: false, cwd: null }),
  parse,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

/** The session of such a document, as far as its head has it; null for another file. */
function sessionIn(head: Uint8Array): Json | null {
  const value = headValue(head);
  if (!isObject(value) || typeof value["sessionId"] !== "string") return null;
  const history = value["chatHistory"];
  const [first] = asArray(history);
  const isOne = first === undefined ? isEmptySession(value) : isObject(asObject(first)["exchange"]);
  return isOne ? value : null;
}

const isEmptySession = (value: Json): boolean => typeof value["modified"] === "string" && isObject(value["agentState"]);

function parse(record: SourceRecord, state: AugmentState): Draft[] {
  const { bytes, byteStart, line } = record;
  if (record.oversized === true) return [];
  const scanned = scanJson(bytes, ["chatHistory"]);
  const { header, lists, end } = scanned;
  const ranges = lists.get("chatHistory") ?? [];
  const about = { byteStart, byteEnd: byteStart + (ranges[0]?.from ?? end) };
  const drafts: Draft[] = sessionDrafts(header ?? sessionIn(bytes.subarray(0, 65_536)) ?? {}, state).map((draft) =>
    draft.kind === "event" ? { ...draft, ...about } : draft,
  );
  for (const { value, range } of elementsIn(bytes, ranges)) {
    const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (isObject(value))
      for (const draft of exchangeDrafts(value, state))
        drafts.push(draft.kind === "event" ? { ...draft, ...own } : draft);
    else drafts.push({ kind: "problem", line, ...own, reason: "An exchange that is not a JSON object." });
  }
  return [...drafts, ...restOfDocument(record, scanned)];
}
