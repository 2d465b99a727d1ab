// Sessions of Goose: rows of one database; before, a file for each, with what is known of the session in its first line.
// docs/formats/goose.md says what is read, and how.
import type { Draft, Format, SessionPatch, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { firstRow, isRowLine, rowRecord, type TableRow } from "./database-rows.ts";
import { gooseDatabase } from "./goose/goose-database.ts";
import { exportDrafts, exportedGoose } from "./goose/goose-export.ts";
import { isGooseStream, streamedGoose } from "./goose/goose-printed.ts";
import { gooseMessage, gooseUsage, ledgerDrafts, type GooseState } from "./goose/goose-messages.ts";
import { asCost, asObject, asText, asTime, clip, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { eventOf, noteOf } from "./qwen/qwen-drafts.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { homeFolder } from "./home-folder.ts";
import { firstLineValue } from "./json-parts.ts";
import { areRecordsOf } from "./first-records.ts";
import { printOf } from "./placed-drafts.ts";

export const goose: Format<GooseState> = {
  id: "goose",
  label: "Goose",
  signs: "a database of sessions, a first line of metadata, or a working_dir with a conversation",
  // 2: the cache is in the input without a total too; sums of sessions from before the ledger.
  // 3: counts that stand as texts of digits; messages without an id.
  // 4: costs that stand as texts.
  // 5: a message begins one turn, and none without content; parts whose first messages are words alone, and their
  // messages the same in the whole file.
  // 6: a sum that was carried into the ledger is no call. 7: errors and documents in messages.
  // 8: what a run printed; a response of several messages is one call.
  version: 8,
  reader: "lines",
  database: gooseDatabase,
  isDocument: ({ head }) => exportedGoose(head) !== null || isGooseStream(head),
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const own = env["GOOSE_PATH_ROOT"];
    if (own) return [[own, "data", "sessions"].join(separator)];
    if (os === "win32" && env["APPDATA"])
      return [[env["APPDATA"], "Block", "goose", "data", "sessions"].join(separator)];
    const data = env["XDG_DATA_HOME"] || (home ? [home, ".local", "share"].join(separator) : null);
    const application = os === "darwin" && home ? [home, "Library", "Application Support", "Block.block.goose"] : null;
    return [
      ...(data === null ? [] : [[data, "goose", "sessions"].join(separator)]),
      ...(application === null ? [] : [[...application, "sessions"].join(separator)]),
    ];
  },
  wants: (path) => /[\\/]sessions[\\/]sessions\.db$/.test(path) || SESSION_FILE.test(path),
  detect: (file) =>
    gooseRow(file.head) !== null ||
    exportedGoose(file.head) !== null ||
    metadataLine(file.head) !== null ||
    isGooseStream(file.head) ||
    hasMessages(file),
  start: startGoose,
  parse: (record, state) =>
    isRowLine(record.bytes)
      ? rowRecord(record, (row) => rowDrafts(row, state))
      : state.isPrinted === true
        ? streamedGoose(record, state)
        : state.isExport === true
          ? exportDrafts(record, state, (row) => sessionDrafts(row, state))
          : lineDrafts(record, state),
  identify: (state) => state.id,
};

const gooseRow = (head: Uint8Array): Json | null => {
  const row = firstRow(head, "sessions");
  return row !== null && typeof row["working_dir"] === "string" ? row : null;
};

/** The first line of an older file. */
function metadataLine(head: Uint8Array): Json | null {
  const value = firstLineValue(head);
  return isObject(value) && typeof value["working_dir"] === "string" && "message_count" in value ? value : null;
}

const SESSION_FILE = /[\\/](?:Block\.block\.)?goose[\\/](?:data[\\/])?sessions[\\/][^\\/]+\.jsonl$/;

/** Blocks of no other agent. */
const BLOCKS =
  /"type":\s?"(?:toolRe(?:quest|sponse)|frontendToolRequest|tool(?:Confirmation|ActionRequired)\w*|redactedThinking|summarizationRequested|contextLengthExceeded)"/;

/** Messages without the line before them: a block behind words may be far down, and a file of words alone has none. */
function hasMessages({ path, head }: SourceFile): boolean {
  if (!areRecordsOf(head, isMessage, () => true)) return false;
  return (
    SESSION_FILE.test(path) || BLOCKS.test(new TextDecoder().decode(head)) || areRecordsOf(head, isMessage, hasViewers)
  );
}

/** Since 2025 a message says whom it is for. */
function hasViewers(message: Json): boolean {
  const { userVisible, agentVisible } = asObject(message["metadata"]);
  return typeof userVisible === "boolean" && typeof agentVisible === "boolean";
}

const isMessage = (value: Json): boolean =>
  "working_dir" in value ||
  (typeof value["role"] === "string" && asTime(value["created"]) !== null && Array.isArray(value["content"]));

function startGoose({ path, head }: SourceFile): GooseState {
  const name = /([^\\/]+)\.jsonl(?:\.zst)?$/.exec(path)?.[1] ?? null;
  const document = exportedGoose(head);
  const id = asText((gooseRow(head) ?? document)?.["id"]) ?? name;
  return {
    id,
    ...(document !== null && { isExport: true as const }),
    ...(isGooseStream(head) && { isPrinted: true as const }),
    hasTitle: false,
    model: null,
    answer: null,
    requests: 0,
    hasHidden: false,
    totals: null,
    usd: 0,
    usage: {},
  };
}

function rowDrafts({ table, row }: TableRow, state: GooseState): Draft[] | null {
  switch (table) {
    case "sessions":
      return sessionDrafts(row, state);
    case "messages": {
      const key = asText(row["message_id"]) ?? `${state.id}/${jsonText(row["id"] ?? null)}`;
      const message = { role: row["role"], content: row["content_json"], metadata: row["metadata_json"] };
      return gooseMessage(message, { ts: asTime(row["created_timestamp"]), key }, state);
    }
    case "usage_ledger":
      return ledgerDrafts(row, state);
  }
  return null;
}

function sessionDrafts(row: Json, state: GooseState): Draft[] {
  state.id ??= asText(row["id"]);
  const startedAt = asTime(row["created"] ?? row["created_at"]);
  const title = (asText(row["name"]) || asText(row["description"]))?.trim() ?? "";
  const parent = asText(row["parent_session_id"]);
  const model = asText(asObject(row["model_config_json"] ?? row["model_config"])["model_name"]);
  state.model = model;
  const cwd = asText(row["working_dir"]) ?? "";
  const isOwn = row["user_set_name"] === 1 || row["user_set_name"] === true;
  const patch: SessionPatch = {
    agentName: "Goose",
    ...(cwd !== "" && { cwd }),
    ...(startedAt !== null && { startedAt }),
    ...(title !== "" &&
      !/^(?:New session|CLI Session|ACP Session)/i.test(title) && {
        title: clip(title, 300),
        titleRank: isOwn ? (2 as const) : (1 as const),
      }),
    ...(model !== null && { model }),
    ...(parent !== null && parent !== state.id && { parent, relation: "subagent" as const }),
  };
  const usd = asCost(row["accumulated_cost"]);
  const usage = gooseUsage(row, "accumulated_");
  const hasTotals = usage.inputUncached + usage.output > 0;
  // The sums are of the whole session, and stand before it: they are told again with each message, so that they hold up to the last.
  state.totals = hasTotals || usd !== null ? { usd, usage: hasTotals ? { [model ?? ""]: usage } : {} } : null;
  return [
    { kind: "session", lane: "", patch },
    noteOf({ ts: startedAt, key: null }, "session", cwd),
    ...totalsOf(state),
  ];
}

const totalsOf = ({ totals }: GooseState): Draft[] => (totals ? [{ kind: "reported", lane: "", ...totals }] : []);

const isRecord = (value: unknown): boolean => isObject(value) && ("role" in value || "working_dir" in value);

function lineDrafts(record: SourceRecord, state: GooseState): Draft[] {
  return draftsOfLine(record, isRecord, (value) => valueDrafts(value, state));
}

function valueDrafts(value: unknown, state: GooseState): Draft[] {
  if (isObject(value) && "working_dir" in value) return sessionDrafts(value, state);
  if (isObject(value) && typeof value["role"] === "string")
    return [
      // Two files may have one name, and a part of one has another: a message is known by its time and its words.
      ...gooseMessage(value, { ts: asTime(value["created"]), key: printOf(jsonText(value)) }, state),
      ...totalsOf(state),
    ];
  const body = { type: "unknown" as const, reason: "A line that is not a message.", text: clip(jsonText(value), 1000) };
  return [eventOf({ ts: null, key: null }, body)];
}
