// What a transcript of Claude Code is known by. Records of CodeBuddy and Qwen Code have some of its names, and lie in such folders too.
import { isCodeBuddyItem } from "../codebuddy/codebuddy-state.ts";
import { brokenLines, firstRecords } from "../first-records.ts";
import { isIFlowRecord } from "./iflow-record.ts";
import { isQwenRecord } from "../qwen/qwen-state.ts";

const RECORD_TYPE = /^(?:file-history-snapshot|queue-operation|permission-mode|custom-title|last-prompt)$/;

export function isClaudeHead(head: Uint8Array): boolean {
  const records = firstRecords(head);
  // CodeBuddy's titles and snapshots look the same, and iFlow's records are the same but for the session's name.
  if (records.some((record) => isCodeBuddyItem(record) || isIFlowRecord(record))) return false;
  let isFound = false;
  for (const record of records) {
    // Qwen Code's chats have the ids too, and its sub-agents are sidechains: two records say whose it is, where one may be odd.
    if (isQwenRecord(record)) return false;
    const isNamed = "sessionId" in record && "uuid" in record && ("isSidechain" in record || "parentUuid" in record);
    if (isNamed && isFound) return true;
    isFound ||= isNamed;
    if (isNamed || typeof record["type"] !== "string") continue;
    if (record["type"] === "summary" && "leafUuid" in record) return true;
    if (RECORD_TYPE.test(record["type"]) && ("sessionId" in record || "messageId" in record)) return true;
  }
  return isFound || brokenLines(head).some(isPiece);
}

/** A line may be longer than the head that is looked at. */
const isPiece = (line: string): boolean =>
  /"sessionId":"/.test(line) &&
  /"isSidechain":/.test(line) &&
  !/"parts":\[|"systemPayload":|"sessionId":"session-/.test(line);
