// Databases in which an agent keeps spans, or rows that say what a span says: VS Code's `agent-traces.db`, the usage that Copilot CLI
// writes down for each request in `session-store.db`, and Antigravity's in its conversations. Each row becomes an OTLP request, made in the query: from there on they are
// telemetry as any other, which stands beside the session's own file and is never added to it.
import type { DatabaseQueries, DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { missingColumns } from "../database-rows.ts";
import { editorFolders } from "../editor-folders.ts";
import { homeFolder } from "../home-folder.ts";
import { antigravityFolders, isConversation, USED, usedQueries } from "./antigravity-usage.ts";
import { attributesOf, object, requestOf, TRACE_ROWS } from "./span-sql.ts";

const SPANS = { spans: ["span_id", "trace_id", "start_time_ms", "end_time_ms"], span_attributes: ["span_id", "key"] };
const USAGE = { assistant_usage_events: ["id", "session_id", "model", "input_tokens", "output_tokens", "created_at"] };

export const traceDatabase: DatabaseReader = {
  queries(tables) {
    if (tables.has("assistant_usage_events")) return missingColumns(tables, USAGE) ?? usageQueries(tables);
    if (tables.has("gen_metadata"))
      return tables.has("trajectory_meta") ? (missingColumns(tables, USED) ?? usedQueries(tables)) : null;
    return tables.has("spans") && tables.has("span_attributes")
      ? (missingColumns(tables, SPANS) ?? spanQueries(tables))
      : null;
  },
  isOpen: () => false,
};

/** Copies of attributes in columns of the span. */
const COLUMNS: Readonly<Record<string, string>> = {
  operation_name: "gen_ai.operation.name",
  provider_name: "gen_ai.provider.name",
  agent_name: "gen_ai.agent.name",
  request_model: "gen_ai.request.model",
  response_model: "gen_ai.response.model",
  input_tokens: "gen_ai.usage.input_tokens",
  output_tokens: "gen_ai.usage.output_tokens",
  cached_tokens: "gen_ai.usage.cache_read.input_tokens",
  reasoning_tokens: "gen_ai.usage.reasoning.output_tokens",
  tool_name: "gen_ai.tool.name",
  tool_call_id: "gen_ai.tool.call.id",
};

/** A trace belongs to one conversation, which not all of its spans name. */
function spanQueries(tables: Tables): DatabaseQueries {
  const has = (column: string): boolean => tables.get("spans")!.includes(column);
  const named = ["conversation_id", "chat_session_id"].filter(has).map((column) => `min(${column})`);
  const names = `SELECT trace_id, ${named.length === 0 ? "NULL" : `coalesce(${named.join(", ")}${named.length === 1 ? ", NULL" : ""})`} AS name
    FROM spans GROUP BY trace_id`;
  const pairs = Object.entries(COLUMNS)
    .filter(([column]) => has(column))
    .map(([column, key]) => [key, `s.${column}`] as const);
  const own = `UNION ALL SELECT key, value FROM span_attributes a WHERE a.span_id = s.span_id
    AND key NOT IN ('gen_ai.conversation.id'${pairs.map(([key, column]) => `, CASE WHEN ${column} IS NULL THEN '' ELSE '${key}' END`).join("")})`;
  const message: Record<string, string> = has("status_message") ? { message: "s.status_message" } : {};
  const span = {
    ...{ traceId: "s.trace_id", spanId: "s.span_id" },
    ...(has("parent_span_id") && { parentSpanId: "s.parent_span_id" }),
    ...(has("name") && { name: "s.name" }),
    ...{ startTimeUnixNano: "s.start_time_ms || '000000'", endTimeUnixNano: "s.end_time_ms || '000000'" },
    ...(has("status_code") && { status: object({ code: "s.status_code", ...message }) }),
  };
  const attributes = attributesOf([...pairs, ["gen_ai.conversation.id", "n.name"]], ` ${own}`);
  return {
    sessions: `SELECT coalesce(n.name, s.trace_id) AS id, max(s.end_time_ms) AS changed,
        count(*) || '/' || max(s.end_time_ms) || '/' || max(s.rowid) AS stamp
      FROM spans s JOIN (${names}) n USING (trace_id) GROUP BY 1 ORDER BY min(s.start_time_ms), 1`,
    records: [
      {
        table: TRACE_ROWS,
        sql: `SELECT s.span_id AS id, ${requestOf("copilot-chat", span, attributes)} AS request
          FROM spans s JOIN (${names}) n USING (trace_id) WHERE coalesce(n.name, s.trace_id) = ? ORDER BY s.start_time_ms, s.span_id`,
      },
    ],
  };
}

/** One row for each request to the model. The input has what was cached in it, and the output the reasoning. */
function usageQueries(tables: Tables): DatabaseQueries {
  const has = (column: string): boolean => tables.get("assistant_usage_events")!.includes(column);
  const column = (name: string): string => (has(name) ? `u.${name}` : "NULL");
  const at = "CAST(round((julianday(u.created_at) - 2440587.5) * 86400000) AS INTEGER)";
  const begun = `${at} - CAST(coalesce(${column("duration_ms")}, 0) AS INTEGER)`;
  const attributes = attributesOf([
    ["gen_ai.conversation.id", "u.session_id"],
    ["gen_ai.operation.name", "'chat'"],
    ["gen_ai.response.model", `coalesce(${column("copilot_usage_model")}, u.model)`],
    ["gen_ai.response.id", column("api_call_id")],
    ["gen_ai.usage.input_tokens", "u.input_tokens"],
    ["gen_ai.usage.output_tokens", "u.output_tokens"],
    ["gen_ai.usage.cache_read.input_tokens", column("cache_read_tokens")],
    ["gen_ai.usage.cache_creation.input_tokens", column("cache_write_tokens")],
    ["gen_ai.usage.reasoning.output_tokens", column("reasoning_tokens")],
  ]);
  const span = {
    ...{ spanId: "printf('%016x', u.id)", name: "'chat ' || u.model" },
    ...{ startTimeUnixNano: `(${begun}) || '000000'`, endTimeUnixNano: `(${at}) || '000000'` },
  };
  return {
    sessions: `SELECT session_id AS id, max(${at}) AS changed, count(*) || '/' || max(id) AS stamp
      FROM assistant_usage_events u WHERE session_id IS NOT NULL GROUP BY 1 ORDER BY min(id)`,
    records: [
      {
        table: TRACE_ROWS,
        sql: `SELECT CAST(u.id AS TEXT) AS id, ${requestOf("github-copilot", span, attributes)} AS request
          FROM assistant_usage_events u WHERE u.session_id = ? ORDER BY u.id`,
      },
    ],
  };
}

/** VS Code and its other channels. */
const EDITORS = ["Code", "Code - Insiders", "VSCodium"];

export function traceDatabases(env: Readonly<Record<string, string | undefined>>, os: string): string[] {
  const separator = os === "win32" ? "\\" : "/";
  const home = homeFolder(env, os);
  const copilot = env["COPILOT_HOME"] || (home ? [home, ".copilot"].join(separator) : null);
  const storage = ["globalStorage", "github.copilot-chat", "agent-traces.db"];
  return [
    ...(copilot === null ? [] : [[copilot, "session-store.db"].join(separator)]),
    ...editorFolders(env, os, EDITORS).map((user) => [user, ...storage].join(separator)),
    ...antigravityFolders(home, separator),
  ];
}

export const isTraceDatabase = (path: string): boolean =>
  /(?:^|[\\/])(?:session-store|agent-traces)\.db$/.test(path) || isConversation(path);
