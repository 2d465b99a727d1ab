// Examples of the server's own endpoints, of the commands that the command line sends, of MCP and of OpenTelemetry.
import { NAMES, under, type Example, type Examples } from "./example.ts";

const session = NAMES.session;

const commands = under("/api/commands", undefined, {
  "POST /import": { title: "Import files and wait", body: { paths: [NAMES.file] } },
  "POST /attach": { title: "Attach a memory folder", body: { path: NAMES.folder } },
  "POST /check": { title: "Check the archive", body: {} },
  "POST /calibrate": { title: "Calibrate token counts", body: { do: "look" } },
  "POST /gc": { title: "Delete what has expired", body: { dryRun: true } },
  "POST /note-reads": { title: "Note read artifacts", body: { reads: [] } },
  "POST /note-recalls": { title: "Note recalls", body: { recalls: [] } },
  "POST /compact": { title: "Plan or run a compaction", body: { session, tail: 1, dryRun: true } },
  "POST /carry-on": {
    title: "Carry a session on in a new file",
    body: { session: NAMES.imported, mode: "fork", to: NAMES.logs },
  },
  "POST /take-back": { title: "Remove a continuation's file", body: { id: NAMES.continuation } },
  "POST /undo": { title: "Undo a compaction", body: { id: NAMES.compaction } },
  "POST /session-create": { title: "Create a session", body: { id: "breakwater", title: "Breakwater survey" } },
  "POST /session-close": { title: "Close a turn", body: { session, turn: 1 } },
  "POST /remove": { title: "Remove a session", body: { session: NAMES.imported } },
  "POST /take-spooled": { title: "Store spooled outputs", body: {} },
  "POST /end": { title: "Delete a session's artifacts", body: { session } },
  "POST /token-create": { title: "Create a token", body: { name: "my-agent", scope: "read" } },
  "POST /token-revoke": { title: "Revoke a token", body: { id: NAMES.token } },
  "POST /webhook-add": {
    title: "Add a webhook",
    body: { name: "chat", url: "http://127.0.0.1:9000/plimsoll", kinds: ["finished"] },
  },
  "POST /budget-save": { title: "Set a budget", body: { period: "month", limitUsd: 400 } },
  "POST /finding-mark": { title: "Mark a finding", body: { id: NAMES.finding, mark: "muted" } },
  "POST /mark": { title: "Label, star or note", body: { session, request: { kind: "star", seq: 3 } } },
  "POST /search-save": { title: "Save a search", body: { name: "piers", query: "pier type:result" } },
  "POST /search-drop": { title: "Delete a saved search", body: { name: "piers" } },
  "POST /webhook-change": { title: "Change a webhook", body: { webhook: NAMES.webhook, enabled: false } },
  "POST /webhook-remove": { title: "Remove a webhook", body: { webhook: NAMES.webhook } },
  "POST /webhook-test": { title: "Send a test to a webhook", body: { webhook: NAMES.webhook } },
  "POST /:name": { title: "Refuse an unknown command", params: { name: "dance" }, body: {}, status: 422 },
});

const otlp = (title: string, body: object): Example => ({
  title,
  content: { type: "application/json", text: JSON.stringify(body) },
});

const RESOURCE = { attributes: [{ key: "service.name", value: { stringValue: "my-agent" } }] };
const SPAN = {
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: "eee19b7ec3c1b174",
  name: "chat claude-sonnet-4-5",
  kind: 3,
  startTimeUnixNano: "1767225600000000000",
  endTimeUnixNano: "1767225601000000000",
  attributes: [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.request.model", value: { stringValue: "claude-sonnet-4-5" } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: "1200" } },
  ],
};
const LOG = {
  timeUnixNano: "1767225600000000000",
  body: { stringValue: "api_request" },
  attributes: [{ key: "session.id", value: { stringValue: "harbour" } }],
};
const METRIC = {
  name: "my_agent.token.usage",
  sum: { dataPoints: [{ timeUnixNano: "1767225600000000000", asInt: "1200" }], aggregationTemporality: 1 },
};

export const serverExamples: Examples = {
  "GET /api/health": { title: "Check that the server runs" },
  "GET /api/tools": { title: "List tools for agents" },
  "POST /api/tools/:name": {
    title: "Call a tool",
    params: { name: "artifact_grep" },
    query: { session },
    body: { artifact_id: NAMES.artifact, pattern: "leak" },
  },
  "GET /api/changes": { title: "Stream changes" },
  "GET /api/endpoint": {
    title: "Prove which server this is",
    query: { challenge: "0123456789abcdef0123456789abcdef" },
  },
  "POST /api/launch": { title: "Create a sign-in link", body: {} },
  ...commands,
  "POST /mcp": {
    title: "Model Context Protocol",
    body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    accept: "application/json, text/event-stream",
  },
  "POST /v1/traces": otlp("Receive OpenTelemetry spans", {
    resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans: [SPAN] }] }],
  }),
  "POST /v1/logs": otlp("Receive OpenTelemetry logs", {
    resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords: [LOG] }] }],
  }),
  "POST /v1/metrics": otlp("Receive OpenTelemetry metrics", {
    resourceMetrics: [{ resource: RESOURCE, scopeMetrics: [{ metrics: [METRIC] }] }],
  }),
  "GET /api/openapi.json": { title: "Read this document" },
};
