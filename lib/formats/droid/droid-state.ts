// What the parser of Droid's sessions remembers between records, and what the file beside them says.
import { NO_USAGE, type SourceFile, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { cutFileName } from "../first-record-name.ts";
import { areRecordsOf, hasNone } from "../first-records.ts";
import { firstLineValue } from "../json-parts.ts";

export type DroidState = {
  id: string | null;
  hasTitle: boolean;
  model: string | null;
  /** Of the whole session so far, as the file beside it says; null where that is not here. */
  settings: DroidSettings | null;
  /** The sums that were told last. */
  told: string;
};

export type DroidSettings = { readonly model: string | null; readonly usage: Usage | null };

export const settingsPath = (path: string): string => path.replace(/\.jsonl$/, ".settings.json");

export function startDroid(file: SourceFile): DroidState {
  const before = file.before as Partial<DroidState> | undefined;
  const settings = settingsIn(file) ?? before?.settings ?? null;
  const start = startOf(file.head);
  return {
    id: start === null ? cutFileName(file) : asText(headerOf(start)["id"]),
    hasTitle: false,
    model: null,
    settings,
    told: "",
  };
}

/** The file beside it is written anew while the session goes on. */
export const resumeDroid = (stored: DroidState, file: SourceFile): DroidState => ({
  ...stored,
  settings: settingsIn(file) ?? stored.settings,
});

function settingsIn({ path, sidecars }: SourceFile): DroidSettings | null {
  const text = sidecars.get(settingsPath(path));
  if (text === undefined) return null;
  try {
    const settings = asObject(JSON.parse(text));
    return { model: asText(settings["model"]), usage: usageIn(settings["tokenUsage"]) };
  } catch {
    // Written at this moment: the next record finds it whole.
    return null;
  }
}

/** Input, what was read from the cache and what was written to it are apart; what was thought is a part of the output. */
function usageIn(told: unknown): Usage | null {
  if (!isObject(told)) return null;
  const output = asCount(told["outputTokens"]);
  return {
    ...NO_USAGE,
    inputUncached: asCount(told["inputTokens"]),
    cacheRead: asCount(told["cacheReadTokens"]),
    cacheWrite: asCount(told["cacheCreationTokens"]),
    output,
    reasoning: Math.min(asCount(told["thinkingTokens"]), output),
  };
}

/** Early releases wrapped what they knew of the session. */
export const headerOf = (start: Json): Json => (isObject(start["session"]) ? start["session"] : start);

export const isDroidStart = (value: unknown): value is Json => {
  if (!isObject(value) || value["type"] !== "session_start") return false;
  const header = headerOf(value);
  return asText(header["id"]) !== null && ["owner", "cwd", "title", "version"].some((key) => key in header);
};

/** The first line of a file, when it is one of Droid's. */
export function startOf(head: Uint8Array): Json | null {
  const value = firstLineValue(head);
  return isDroidStart(value) ? value : null;
}

/** True for a file that begins with Droid's first line, or in the middle of a run with its records. */
export const isDroid = (head: Uint8Array): boolean =>
  startOf(head) !== null || areRecordsOf(head, isRecord, isOwnRecord);

const FOREIGN = ["payload", "data", "uuid", "sessionId", "session_id", "role", "usage"];

function isRecord(record: Json): boolean {
  if (typeof record["type"] !== "string" || !hasNone(record, FOREIGN)) return false;
  if (record["type"] !== "message") return true;
  const { message } = record;
  // Messages that tell their time or their tokens are another agent's.
  return (
    isObject(message) &&
    /^(?:user|assistant|system)$/.test(asText(message["role"]) ?? "") &&
    asText(record["id"]) !== null &&
    asText(record["timestamp"]) !== null &&
    hasNone(message, ["timestamp", "usage"])
  );
}

/** Fields that a record of each type has, and no other agent's record of that type. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  todo_state: ["todos", "messageIndex"],
  compaction_state: ["summaryText"],
  agent_turn_outcome: ["turnId", "resultKind"],
};

function isOwnRecord(record: Json): boolean {
  if (isDroidStart(record)) return true;
  const { message } = record;
  if (record["type"] === "message" && isObject(message))
    return Array.isArray(message["content"]) || !hasNone(message, ["modelId", "visibility", "userMessageSource"]);
  const signs = ownEntry(SIGNS, asText(record["type"]));
  return signs !== undefined && signs.every((key) => key in record);
}
