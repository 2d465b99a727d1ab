// Examples of session, event, context, compaction and memory endpoints.
import { NAMES, under, type Examples } from "./example.ts";

const RECORDS = [
  { record: "event", startsTurn: true, body: { type: "user", text: "Is pier 2 sound?" } },
  {
    record: "event",
    body: { type: "tool_call", toolCallId: "c1", toolName: "bash", input: { command: "cat piers.json" } },
  },
  { record: "event", body: { type: "tool_result", toolCallId: "c1", text: "1\tpier 2: leak at the ladder" } },
  { record: "event", body: { type: "assistant", text: "No: it leaks at the ladder." } },
];

const imported = { id: NAMES.imported };

const one = under(
  "/api/sessions/:id",
  { id: NAMES.session },
  {
    "GET ": { title: "Read a session" },
    "GET /events": { title: "List events", query: { from: "1", limit: "50" } },
    "GET /events/:seq": { title: "Read an event", params: { seq: "3" } },
    "GET /events/:seq/raw": { title: "Download an event's source record", params: { ...imported, seq: "3" } },
    "GET /outline": { title: "Read the outline" },
    "GET /forks": { title: "List identical sub-agents" },
    "GET /find": { title: "Search a session", query: { q: "ladder" } },
    "GET /tools": { title: "List the tools a session used" },
    "GET /highlight": { title: "Highlight a tool result", query: { seq: "3", language: "typescript" } },
    "GET /export": { title: "Export a session" },
    "GET /bundle": { title: "Export a session with its family" },
    "GET /load": { title: "Read context load per call" },
    "GET /reported-calls": { title: "List calls as the agent reported them" },
    "GET /ledger": { title: "Read the token ledger" },
    "GET /culprits": { title: "List what fills the context" },
    "GET /policies": { title: "List settings that would have helped" },
    "GET /whatif": { title: "Compute another policy's savings", query: { offload: "4000" } },
    "GET /heaviest": { title: "List the largest outputs" },
    "POST /report/review": { title: "Find private data before a report", body: {} },
    "POST /report": { title: "Write a report", body: { format: "markdown", mask: "secrets" } },
    "DELETE ": { title: "Remove a session", params: imported },
    "GET /remove-preview": { title: "Preview a session's removal", params: imported },
    "GET /versions": { title: "List earlier versions of a session's file", params: imported },
    "GET /restore-preview": { title: "Preview a session's restore", params: imported },
    "POST /restore": { title: "Restore a session's files", params: imported, body: {} },
    "GET /artifacts": { title: "List a session's artifacts", query: { sort: "size", limit: "20" } },
    "DELETE /artifacts": { title: "Delete a session's artifacts" },
    "GET /artifacts/delete-preview": { title: "Preview deleting a session's artifacts" },
    "POST /turns/:turn/close": { title: "Close a turn", params: { turn: "1" }, body: {} },
    "GET /events/:seq/lifetime": { title: "List the calls that carried an event", params: { seq: "3" } },
    "GET /events/:seq/seen": { title: "Read an event as a call sent it", params: { seq: "3" } },
    "GET /events/:seq/output": { title: "Download a tool's output", params: { seq: "3" } },
    "GET /context": { title: "Read the context at an event", query: { at: "4", as: "anthropic" } },
    "GET /context/message": { title: "Read one message of a context", query: { at: "4", index: "0" } },
    "GET /context/raw": { title: "Download a context", query: { at: "4", as: "openai-chat" } },
    "GET /requests": { title: "List captured requests", params: imported, query: { limit: "20" } },
    "GET /request": { title: "Read a captured request", params: imported, query: { call: "1" } },
    "POST /events": { title: "Add events", body: { records: RECORDS } },
    "POST /request": { title: "Build the next model request", body: { as: "anthropic" } },
    "GET /recall": { title: "Recall memory", query: { query: "ladder leak", k: "5" } },
    "GET /compactions": { title: "List compactions" },
    "POST /compactions": { title: "Plan or run a compaction", body: { tail: 1, dryRun: true } },
    "POST /compactions/own": { title: "Compare with the agent's own summary", body: { tail: 1 } },
    "POST /carry-on/plan": {
      title: "Preview carrying a session on",
      params: imported,
      body: { mode: "summary", tail: 0 },
    },
    "POST /carry-on": {
      title: "Carry a session on in a new file",
      params: imported,
      body: { mode: "fork", to: NAMES.logs },
    },
    "GET /carry-ons": { title: "List continuations of a session", params: imported },
    "GET /memory": { title: "List memory items" },
    "POST /memory": {
      title: "Add or change a memory item",
      body: { do: "add", kind: "semantic", text: "Pier 2 leaks at the ladder.", tags: ["piers"] },
    },
    "GET /memory/:item": { title: "Read a memory item's history", params: { item: NAMES.memory } },
    "POST /artifacts": {
      title: "Store an artifact",
      query: { name: "piers.txt", tool: "bash" },
      content: { type: "text/plain", text: "pier 1: sound\npier 2: leak at the ladder\n" },
      status: 201,
    },
    "POST /outputs": {
      title: "Record a tool output",
      query: { tool: "bash", call: "c2", input: '{"command":"ls piers"}' },
      content: { type: "text/plain", text: "pier-1\npier-2\n" },
    },
  },
);

export const sessionExamples: Examples = {
  "GET /api/sessions": { title: "List sessions", query: { sort: "active", limit: "20" } },
  "POST /api/sessions": {
    title: "Create a session",
    body: { id: "lighthouse", title: "Lighthouse survey", model: "claude-sonnet-4-5", policy: "plimsoll" },
    status: 201,
  },
  "GET /api/usage": { title: "Count tokens and cost by day", query: { period: "daily", timezone: "UTC" } },
  "GET /api/search": { title: "Search everything", query: { q: "ladder type:result" } },
  "GET /api/status": { title: "Read the status line", query: { session: NAMES.session } },
  ...one,
  "GET /api/carry-ons": { title: "List continuations" },
  "POST /api/carry-ons/:id/take-back": {
    title: "Remove a continuation's file",
    params: { id: NAMES.continuation },
    body: {},
  },
  "GET /api/compactions/:id": { title: "Read a compaction", params: { id: NAMES.compaction } },
  "POST /api/compactions/:id/undo": { title: "Undo a compaction", params: { id: NAMES.compaction }, body: {} },
};
