// What a transcript of Claude Code is known by. Records of CodeBuddy and Qwen Code have some of its names, and lie in such folders too.
import { isCodeBuddyItem } from "../codebuddy/codebuddy-state.ts";
import { firstRecords } from "../first-records.ts";
import { isObject } from "../json.ts";
import { isIFlowRecord } from "./iflow-record.ts";
import { isQwenRecord } from "../qwen/qwen-state.ts";

const RECORD_TYPE = /^(?:file-history-snapshot|queue-operation|permission-mode|custom-title|last-prompt)$/;

export function isClaudeHead(head: Uint8Array): boolean {
  // CodeBuddy's titles and snapshots look the same, and iFlow's records are the same but for the session's name.
  if (firstRecords(head).some((record) => isCodeBuddyItem(record) || isIFlowRecord(record))) return false;
  const lines = new TextDecoder().decode(head).split("\n", 20);
  let isFound = false;
  for (const line of lines) {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      // A first line may be longer than the head that is looked at.
      if (
        /"sessionId":"/.test(line) &&
        /"isSidechain":/.test(line) &&
        !/"parts":\[|"systemPayload":|"sessionId":"session-/.test(line)
      )
        return true;
      continue;
    }
    if (!isObject(record)) continue;
    // Qwen Code's chats have the ids too, and its sub-agents are sidechains: two records say whose it is, where one may be odd.
    if (isQwenRecord(record)) return false;
    const isNamed = "sessionId" in record && "uuid" in record && ("isSidechain" in record || "parentUuid" in record);
    if (isNamed && isFound) return true;
    isFound ||= isNamed;
    if (isNamed || typeof record["type"] !== "string") continue;
    if (record["type"] === "summary" && "leafUuid" in record) return true;
    if (RECORD_TYPE.test(record["type"]) && ("sessionId" in record || "messageId" in record)) return true;
  }
  return isFound;
}
