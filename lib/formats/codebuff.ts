// Chats of Codebuff and Freebuff, one JSON list of messages each, written anew as it grows. docs/formats/codebuff.md says what is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { messageDrafts, type CodebuffState } from "./codebuff/codebuff-messages.ts";
import { homeFolder } from "./home-folder.ts";
import { asArray, asText, asTime, isObject } from "./json.ts";
import { elementsIn, headValue, restOfDocument, scanJson } from "./json-parts.ts";
import { patchOf } from "./placed-drafts.ts";

export const codebuff: Format<CodebuffState> = {
  id: "codebuff",
  label: "Codebuff",
  signs: "a list of messages with variant, content and timestamp",
  version: 1,
  reader: "document",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    // Channels of its makers have folders of their own: manicode-dev, manicode-staging.
    return home ? [[home, ".config", "manicode*", "projects"].join(separator)] : [];
  },
  wants: (path) => CHAT.test(path),
  cleanup: "unknown",
  detect: ({ head }) => isChat(head),
  start: startChat,
  parse,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

const CHAT = /[\\/]chats[\\/]([^\\/]+)[\\/]chat-messages\.json$/;
const VARIANTS = ["user", "ai", "agent", "error", "assistant"];

function isChat(head: Uint8Array): boolean {
  const list = headValue(head);
  if (!Array.isArray(list) || list.length === 0) return false;
  const [first] = asArray(list);
  if (!isObject(first) || !VARIANTS.includes(asText(first["variant"]) ?? "")) return false;
  return "content" in first || "blocks" in first || "timestamp" in first;
}

/** A chat is named after the time of its beginning, with dashes for colons. */
function startChat({ path, head }: SourceFile): CodebuffState {
  const name = CHAT.exec(path)?.[1] ?? null;
  const [first] = asArray(headValue(head));
  const startedAt = asTime(name?.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3") ?? null);
  return { id: name ?? (isObject(first) ? asText(first["id"]) : null), startedAt, hasTitle: false };
}

function parse(record: SourceRecord, state: CodebuffState): Draft[] {
  const { bytes, byteStart, line } = record;
  if (record.oversized === true) return [];
  const scanned = scanJson(bytes, []);
  const { root, lists } = scanned;
  const begun = state.startedAt === null ? {} : { startedAt: state.startedAt };
  const drafts: Draft[] = [patchOf("", { agentName: "Codebuff", ...begun })];
  for (const { value, range } of root === "array" ? elementsIn(bytes, lists.get("")) : []) {
    const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (isObject(value)) drafts.push(...messageDrafts(value, own, state));
    else drafts.push({ kind: "problem", line, ...own, reason: "A message that is not a JSON object." });
  }
  return [...drafts, ...restOfDocument(record, scanned)];
}
