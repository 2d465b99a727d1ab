// What the parser of pi's session files remembers between records. Nothing in it grows with the session.
import type { SourceFile, Usage } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { firstRow } from "../database-rows.ts";
import { cutFileName } from "../first-record-name.ts";
import { areRecordsOf, firstRecords, hasNone } from "../first-records.ts";
import { firstLineValue } from "../json-parts.ts";

export type PiState = {
  /** The header's id. */
  id: string | null;
  /** Version 1 has no ids: its entries are known by their number. */
  version: number;
  /** Parsed lines so far, the header among them: a compaction of version 1 names an entry by it. */
  index: number;
  /** Stands before the names of entries, so that the same eight digits in two sessions are two names; a copy has the same. */
  salt: string | null;
  /** The entry that was read last: one with another parent goes on elsewhere in the tree. */
  tip: string | null;
  model: string | null;
  /** The last messages that a compaction may begin with, each with its time: newer ones repeat what stays, without ids. */
  recent: [time: number, id: string][];
  hasTitle: boolean;
  named: boolean;
  /** What the agent's own figures come to so far, by model. */
  usd: number;
  usage: Record<string, Usage>;
  /** What an index beside the file says of the session. */
  listed: Listed | null;
};

export type Listed = { readonly title: string | null; readonly parent: string | null; readonly key: string };

export function startPi(file: SourceFile, listed: Listed | null = null): PiState {
  const header = headerOf(file.head);
  return {
    id: asText(header?.["id"]) ?? (hasEntries(file.head) ? cutFileName(file) : null),
    // Without the first lines no number says which entry is meant.
    version: header === null ? NEWEST : typeof header["version"] === "number" ? header["version"] : 1,
    index: 0,
    salt: null,
    tip: null,
    model: null,
    recent: [],
    hasTitle: false,
    named: false,
    usd: 0,
    usage: {},
    listed: listed ?? (file.before as Partial<PiState> | undefined)?.listed ?? null,
  };
}

const NEWEST = 3;

/** True for a file that begins with pi's header, or in the middle of a run with entries. */
export const isPi = (head: Uint8Array): boolean => headerOf(head) !== null || hasEntries(head);

const hasEntries = (head: Uint8Array): boolean => areRecordsOf(head, isEntry, isOwnEntry);

const FOREIGN = ["payload", "uuid", "sessionId", "session_id", "role", "content"];

const isEntry = (record: Json): boolean =>
  typeof record["type"] === "string" &&
  typeof record["timestamp"] === "string" &&
  hasNone(record, record["type"] === "custom_message" ? [] : FOREIGN);

/** Fields that an entry of each type has, and no other agent's record of that type. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "cwd"],
  model_change: ["provider", "modelId"],
  thinking_level_change: ["thinkingLevel"],
  compaction: ["summary", "tokensBefore"],
  branch_summary: ["summary", "fromId"],
  custom: ["customType"],
  custom_message: ["customType", "content"],
  label: ["targetId"],
  context_edit: ["targetId", "replacement"],
  usage: ["kind", "provider", "model"],
  session_info: ["name", "parentId"],
};

function isOwnEntry(record: Json): boolean {
  if (record["type"] === "message") return isOwnMessage(asObject(record["message"]));
  const signs = ownEntry(SIGNS, asText(record["type"]));
  return signs !== undefined && signs.every((key) => key in record);
}

/** Its messages have a time of their own, in forks of it at least other roles, counts or calls than those of other agents. */
const isOwnMessage = (message: Json): boolean =>
  typeof message["timestamp"] === "number" ||
  /^(?:toolResult|bashExecution)$/.test(asText(message["role"]) ?? "") ||
  "cacheRead" in asObject(message["usage"]) ||
  asArray(message["content"]).some((block) => asObject(block)["type"] === "toolCall");

/** The header of a file, when it is one of pi's: its first line, or behind the title that a fork writes there. */
export function headerOf(head: Uint8Array): Json | null {
  const row = firstRow(head, PI_ROW);
  if (row !== null) return headerOfRow(row);
  const first = firstLineValue(head);
  const value = isObject(first) && first["type"] === "title" ? firstRecords(head)[1] : first;
  return isHeader(value) ? value : null;
}

/** The row of a session in pi's database, and the header that a file has in its place. */
export const PI_ROW = "pi_sessions";
export function headerOfRow(row: Json): Json {
  const { id, cwd, created_at: timestamp, parent_session_id: parentSession } = row;
  return { type: "session", version: NEWEST, id, timestamp, cwd, parentSession };
}

export const isHeader = (value: unknown): value is Json =>
  isObject(value) &&
  value["type"] === "session" &&
  typeof value["id"] === "string" &&
  "timestamp" in value &&
  value["payload"] === undefined &&
  value["data"] === undefined;

/** The name of an entry in copies of its file; null before the first one. */
export const entryKey = (state: PiState, id: string): string => `${state.salt ?? ""}/${id}`;

// 48: what stays is some 20,000 tokens.
const RECENT = 48;

export function rememberMessage(state: PiState, message: Json, id: string | null): void {
  const time = message["timestamp"];
  if (id === null || typeof time !== "number" || message["role"] === "toolResult") return;
  state.recent.push([time, id.slice(0, 40)]);
  if (state.recent.length > RECENT) state.recent.shift();
}

/** The entry of a message that is repeated. */
export const remembered = (state: PiState, message: Json): string | null =>
  state.recent.find(([time]) => time === message["timestamp"])?.[1] ?? null;

/** The name of a file's session as its own header has it: `<time>_<id>.jsonl`, or the id alone. */
export function sessionOfPath(path: string): string | null {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.jsonl.*$/, "");
  const id = name.slice(name.lastIndexOf("_") + 1);
  return id === "" ? null : id;
}

/** The texts of a message's content, whatever its shape. */
export const textsOf = (content: unknown): string[] =>
  typeof content === "string" ? [content] : asArray(content).flatMap((block) => asText(asObject(block)["text"]) ?? []);
