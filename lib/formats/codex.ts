// Codex CLI rollouts: `{timestamp, type, payload}` a line. Two logs run through a file side by side: the history that the
// model sees (`response_item`) and the client's own (`event_msg`). Events are the history's, in its order; the client's log
// gives what only it knows (see codex/client-log.ts), and its copies are hidden. The format is also TraeX's.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, isObject } from "./json.ts";
import type { Json } from "./json.ts";
import { asName } from "./codex/read.ts";
import { codexContinuation } from "./codex/codex-continuation.ts";
import { clientLog } from "./codex/client-log.ts";
import { earlyPieces } from "./codex/early-document.ts";
import { earlySession } from "./codex/early-session.ts";
import { event, meta } from "./codex/event-drafts.ts";
import { item, sealedItem } from "./codex/response-items.ts";
import { agentMessage, messageKey } from "./codex/messages.ts";
import { compacted, sessionMeta, turnContext } from "./codex/session.ts";
import { hasBareItems, isLegacyStart, ITEM_TYPES, parseObject, recordKey, startState } from "./codex/codex-state.ts";
import { noteTurns } from "./codex/rollback.ts";
import type { CodexState } from "./codex/codex-state.ts";
import { codexTotals, recordUsage, telling } from "./codex/usage.ts";
import { readValues } from "./json-lines.ts";
import { homeFolder } from "./home-folder.ts";
import { joined } from "./placed-drafts.ts";

export type { CodexState } from "./codex/codex-state.ts";

const ENVELOPES: ReadonlySet<string> = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
  "token_usage_record",
  "inter_agent_communication",
]);

export const codex: Format<CodexState> = {
  id: "codex",
  label: "Codex",
  signs: "lines with type and payload, a first one with id and instructions, or a session with items",
  // 2: one-hour cache writes and web searches. 3: images weigh what the provider's rule says; least load of a compaction.
  // 4: what the client's log holds of outputs that are cut. 5: MCP outputs as they were cut once more.
  // 6: a call's label says what it was asked, whatever its tool.
  // 7: a compaction's new context in its order, with what it says anew.
  // 8: a block that is not known is no title, and begins no turn; counts without totals.
  // 9: totals of a file whose first line is gone are not its own. 10: a turn that is cut over two files, and its calls, have one name in both.
  // 11: histories without turns: their records and calls have names that a fork's copy shares; rollouts of the first
  // client, one document each.
  // 12: responses that the totals leave out, and those told twice; TraeX's history; the tier that a thread asks for is part of a
  // call's model; a file that goes on from a part of another is a session of its own, and its totals begin there.
  // 13: OpenAI's ultrafast tier is part of a call's model.
  // 14: a child that numbers its own records says that it begins with a copy.
  // 15: turns that were taken back left the context. 16: none that may be gone is taken back.
  // 17: a fork began when its file says, and not with the oldest record that it copied.
  version: 17,
  reader: "lines",
  isDocument: ({ head }) => earlySession(head) !== null,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const root = env["CODEX_HOME"] || (home ? `${home}${separator}.codex` : "");
    return root === "" ? [] : [`${root}${separator}sessions`, `${root}${separator}archived_sessions`];
  },
  wants: (path) => /(?:^|[/\\])rollout-[^/\\]*\.jsonl?(?:\.zst)?$/.test(path),
  detect,
  cleanup: "never",
  start: startState,
  parse,
  identify: (state) => state.fileId ?? state.id,
  totals: codexTotals,
  sealedItem,
  continuation: codexContinuation,
};

/** The plain file that stands in place of a compressed one; null for a file that is not compressed. */
export const shadowedBy = (path: string): string | null => (path.endsWith(".jsonl.zst") ? path.slice(0, -4) : null);

function detect(file: SourceFile): boolean {
  if (earlySession(file.head) !== null) return true;
  const head = new TextDecoder().decode(file.head);
  const lines = head.split("\n");
  // A head that ends inside its first line still begins with the envelope: base_instructions may be long.
  if (lines.length === 1 && /^\s*\{.{0,200}"type":\s?"session_meta".{0,200}"payload":/s.test(head.slice(0, 600)))
    return true;
  for (const line of lines.slice(0, 5)) {
    const value = parseObject(line);
    if (value !== null && (isEnvelope(value) || isLegacyStart(value))) return true;
  }
  return hasBareItems(file);
}

const isEnvelope = (value: Json): boolean => ENVELOPES.has(asText(value["type"]) ?? "") && isObject(value["payload"]);

/** A whole record, told from a piece of a broken one: pieces are items, and have no envelope; those of bare files have none either. */
const isRecord = (value: unknown, { bare }: CodexState): boolean =>
  isObject(value) &&
  typeof value["type"] === "string" &&
  (value["payload"] !== undefined || (bare && value["content"] !== undefined));

function parse(record: SourceRecord, state: CodexState): Draft[] {
  if (record.oversized === true) return [];
  if (state.isDocument === true) return joined(earlyPieces(record, state));
  const { values, problems } = readValues(record, (value) => isRecord(value, state));
  const drafts: Draft[] = [];
  for (const { value, byteStart, byteEnd } of values) {
    const own = recordDrafts(value, state);
    if (values.length === 1 && problems.length === 0) drafts.push(...own);
    else for (const draft of own) drafts.push(draft.kind === "event" ? { ...draft, byteStart, byteEnd } : draft);
  }
  for (const problem of problems) drafts.push({ kind: "problem", line: record.line, ...problem });
  return drafts;
}

function recordDrafts(value: unknown, state: CodexState): Draft[] {
  const drafts: Draft[] = [];
  if (!state.named) {
    state.named = true;
    drafts.push({ kind: "session", lane: "", patch: { agentName: "Codex" } });
  }
  if (isObject(value)) {
    const afterPrompt = state.afterPrompt;
    state.afterPrompt = false;
    const own = objectDrafts(value, state, afterPrompt);
    noteTurns(own, state);
    drafts.push(...own);
  } else {
    const text = jsonText(value).slice(0, 64 * 1024);
    drafts.push(
      event({ ts: null, key: null }, { type: "unknown", reason: "The line is JSON, but not an object.", text }),
    );
  }
  return drafts;
}

function objectDrafts(value: Json, state: CodexState, afterPrompt: boolean): Draft[] {
  const ts = asTime(value["timestamp"]);
  const type = asText(value["type"]) ?? "";
  const payload = asObject(value["payload"]);
  switch (type) {
    case "session_meta":
      return sessionMeta(payload, ts, state);
    case "turn_context":
      return turnContext(payload, ts, state);
    case "response_item":
      return item(payload, ts, state);
    case "history_mutation":
      return mutation(payload, ts, state);
    case "event_msg":
      return clientLog(payload, ts, state, afterPrompt);
    case "compacted":
      return compacted(payload, ts, state);
    case "token_usage_record": {
      const origin = { ts, key: recordKey(state, type, asName(payload["response_id"])) };
      const drafts = recordUsage(payload, origin, state);
      return [telling(meta(origin, type), drafts), ...drafts];
    }
    case "inter_agent_communication": {
      const origin = { ts, key: messageKey(type, payload, state) };
      const drafts = agentMessage(payload, origin, state);
      return drafts.length > 0 ? drafts : [meta(origin, type)];
    }
  }
  if (value["payload"] === undefined) {
    if (ITEM_TYPES.has(type) || (type === "" && asText(value["role"]) !== null)) return item(value, ts, state);
    if (isLegacyStart(value)) {
      state.bare = true;
      return sessionMeta(value, ts, state);
    }
  }
  const name = type || (asText(value["record_type"]) ?? "record");
  return [meta({ ts, key: recordKey(state, name, null) }, name)];
}

/** TraeX from 0.200 on: items that are put behind the history; anything else that is done to it is noted. */
function mutation(payload: Json, ts: number | null, state: CodexState): Draft[] {
  const items = payload["operation"] === "append" ? asArray(payload["items"]).filter(isObject) : [];
  const drafts = items.flatMap((one) => item(one, ts, state));
  const note = meta({ ts, key: recordKey(state, "history_mutation", null) }, "history_mutation");
  return drafts.length > 0 ? drafts : [note];
}
