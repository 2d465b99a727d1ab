// What the parser of CodeBuddy's records remembers between lines, and what a file is known by.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { cutFileName } from "../first-record-name.ts";
import { areMessagesOf, firstRecords, hasNone } from "../first-records.ts";
import { asText, asTime, isObject, type Json } from "../json.ts";

export type CodeBuddyState = {
  id: string | null;
  /** A record or the folder says so, and no file's name. */
  isNamed: boolean;
  readonly agent: string;
  /** The session whose folder has this sub-agent's file. */
  readonly parent: string | null;
  hasStarted: boolean;
  hasTitle: boolean;
  cwd: string | null;
  model: string | null;
  /** The record before, by its own id. */
  last: string | null;
};

/** Other agents' wrappers and names of a session. */
const FOREIGN = ["uuid", "payload", "session_id", "parts"];

export const isCodeBuddyRecord = (record: Json): boolean =>
  asText(record["type"]) !== null && hasNone(record, FOREIGN) && ("timestamp" in record || "sessionId" in record);

/** Items of OpenAI's library, which no other program writes with a time of their own. */
export function isCodeBuddyItem(record: Json): boolean {
  const type = asText(record["type"]) ?? "";
  if (!isCodeBuddyRecord(record) || asTime(record["timestamp"]) === null) return false;
  if (/^function_call(?:_result)?$/.test(type)) return asText(record["callId"]) !== null;
  const isNamed = asText(record["sessionId"]) !== null || asText(record["cwd"]) !== null;
  return /^(?:message|reasoning|assistant)$/.test(type) && isObject(record["providerData"]) && isNamed;
}

export const isCodeBuddyHead = (head: Uint8Array): boolean => areMessagesOf(head, isCodeBuddyRecord, isCodeBuddyItem);

const SUBAGENT = /[\\/]([^\\/]+)[\\/]subagents[\\/]([^\\/]+)\.jsonl$/;

/** A sub-agent has the name of its session before its own, as links to it have. */
export const subagentId = (session: string, agent: string): string => `${session}/${agent}`;

export function startCodeBuddy(file: SourceFile): CodeBuddyState {
  const [, parent = null, own = null] = SUBAGENT.exec(file.path) ?? [];
  const named = firstRecords(file.head)
    .map((record) => asText(record["sessionId"]))
    .find(Boolean);
  return {
    id: parent !== null && own !== null ? subagentId(parent, own) : (named ?? cutFileName(file)),
    isNamed: parent !== null || named !== undefined,
    agent: /[\\/]\.workbuddy[\\/]/.test(file.path) ? "WorkBuddy" : "CodeBuddy",
    parent,
    ...{ hasStarted: false, hasTitle: false, cwd: null, model: null, last: null },
  };
}
