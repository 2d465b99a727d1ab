// Sessions of Crush: rows of the database `.crush/crush.db` in each project. docs/formats/crush.md says what is read, and how.
import { NO_USAGE, type Draft, type Format, type SessionPatch } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { crushDatabase } from "./crush/crush-database.ts";
import { crushPart, type CrushState } from "./crush/crush-parts.ts";
import { projectDatabases, projectLists } from "./crush/crush-projects.ts";
import { firstRow, rowRecord, type TableRow } from "./database-rows.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, clip, type Json } from "./json.ts";
import { noteOf, type Entry } from "./qwen/qwen-drafts.ts";

export const crush: Format<CrushState> = {
  id: "crush",
  label: "Crush",
  signs: "a database with the tables sessions and messages",
  // 2: sessions without a title, a cost or times.
  // 3: costs that stand as texts.
  // 4: a record without content begins no turn.
  // 5: sub-agents of early releases have the name of their call; sessions that a title was asked in are none.
  // 6: refusals; commands of the shell and files of text that were sent with a prompt; words that Crush itself goes on with.
  version: 6,
  reader: "lines",
  database: crushDatabase,
  // Each project has its own.
  sources: () => [],
  projects: { paths: projectLists, files: projectDatabases },
  wants: (path) => /[\\/]crush\.db$/.test(path),
  detect: ({ head }) => firstRow(head, "sessions") !== null && isCrushRow(firstRow(head, "sessions")!),
  start: ({ head }) => ({ id: asText(firstRow(head, "sessions")?.["id"]), model: null, hasTitle: false }),
  parse: (record, state) => rowRecord(record, (row) => rowDrafts(row, state)),
  identify: (state) => state.id,
};

const isCrushRow = (row: Json): boolean => "title" in row && "created_at" in row && !("working_dir" in row);

function rowDrafts({ table, row }: TableRow, state: CrushState): Draft[] | null {
  switch (table) {
    case "sessions":
      return sessionDrafts(row, state);
    case "messages":
      return messageDrafts(row, state);
    case "totals":
      return [
        { kind: "reported", lane: "", usd: asCost(row["cost"]), usage: {} },
        noteOf({ ts: null, key: null }, "totals", clip(jsonText(row), 300)),
      ];
  }
  return null;
}

function sessionDrafts(row: Json, state: CrushState): Draft[] {
  state.id ??= asText(row["id"]);
  const startedAt = asTime(row["created_at"]);
  const title = asText(row["title"])?.trim() ?? "";
  const parent = asText(row["parent_session_id"]);
  // A sub-agent's session is named after the call that started it; early releases gave it the call's name alone.
  const [name, behind] = (state.id ?? "").split("$$");
  const toolCallId = behind ?? (parent === null ? undefined : name);
  const cwd = asText(row["workspace_cwd"]) ?? "";
  const patch: SessionPatch = {
    agentName: "Crush",
    ...(cwd !== "" && { cwd }),
    ...(startedAt !== null && { startedAt }),
    ...(title !== "" &&
      !/^(?:Untitled|New) Session$/i.test(title) && { title: clip(title, 300), titleRank: 1 as const }),
    ...(parent !== null && parent !== state.id && { parent, relation: "subagent" as const }),
    ...(toolCallId !== undefined && { parentToolCallId: toolCallId }),
    quality: "Crush keeps the cost of a session, and the tokens of its calls only in some releases.",
  };
  return [{ kind: "session", lane: "", patch }, noteOf({ ts: startedAt, key: null }, "session", title)];
}

function messageDrafts(row: Json, state: CrushState): Draft[] {
  const role = asText(row["role"]) ?? "";
  const entry: Entry = { ts: asTime(row["created_at"]), key: asText(row["id"]) };
  const model = asText(row["model"]);
  const isAnswer = role === "assistant";
  const callKey = isAnswer ? (entry.key ?? "") : null;
  const drafts: Draft[] = [];
  if (isAnswer && model !== null && model !== "" && model !== state.model) {
    state.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  let finish: Json = {};
  const parts = asArray(row["parts"]).map(asObject);
  const isSummary = row["is_summary_message"] === 1;
  for (const part of parts) {
    if (part["type"] === "finish") finish = asObject(part["data"]);
    drafts.push(...crushPart(part, role, isSummary, entry, callKey, state));
  }
  if (!drafts.some(({ kind }) => kind === "event")) drafts.push(noteOf(entry, `${role} message`, "", callKey));
  if (callKey === null) return drafts;
  const prompt = asCount(finish["prompt_tokens"]);
  const usage =
    prompt === 0 ? null : { ...NO_USAGE, inputUncached: prompt, output: asCount(finish["completion_tokens"]) };
  drafts.push({
    kind: "call",
    lane: "",
    key: callKey,
    ts: entry.ts,
    model: state.model,
    usage,
    outputLowerBound: false,
  });
  return drafts;
}
