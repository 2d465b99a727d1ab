// Examples of source, settings and token endpoints.
import { NAMES, type Examples } from "./example.ts";

const RULES = { maxAgeDays: 90, keepNamed: true };

const sources: Examples = {
  "GET /api/sources": { title: "List sources", query: { limit: "20" } },
  "POST /api/sources": { title: "Watch a folder", body: { path: NAMES.logs } },
  "DELETE /api/sources": { title: "Stop watching a folder", query: { path: NAMES.logs } },
  "PUT /api/sources/archived": { title: "Include archived transcripts", body: { path: NAMES.logs, on: true } },
  "GET /api/sources/problems": { title: "List import problems", query: { limit: "20" } },
  "GET /api/sources/raw": { title: "Download a source file", query: { path: NAMES.file } },
  "GET /api/imports": { title: "List imports" },
  "POST /api/imports": { title: "Import files", body: { paths: [NAMES.file] }, status: 202 },
  "POST /api/imports/:id": { title: "Retry an import", params: { id: NAMES.import }, status: 404 },
  "DELETE /api/imports/:id": { title: "Cancel an import", params: { id: NAMES.import }, status: 404 },
  "PUT /api/upload": {
    title: "Upload a session file",
    query: { name: "run.jsonl" },
    content: { type: "application/octet-stream", text: '{"plimsoll":1,"id":"run","title":"Uploaded run"}\n' },
    status: 202,
  },
  "POST /api/demo": { title: "Load the demo sessions", body: {} },
  "GET /api/attached": { title: "List attached memory folders" },
  "POST /api/attached": { title: "Attach a memory folder", body: { path: NAMES.folder } },
  "DELETE /api/attached/:id": { title: "Detach a memory folder", params: { id: NAMES.attached } },
  "POST /api/attached/:id/refresh": { title: "Refresh a memory folder", params: { id: NAMES.attached }, body: {} },
};

const settings: Examples = {
  "GET /api/settings/policy": { title: "Read the offload policy" },
  "PUT /api/settings/policy": { title: "Set the offload policy", body: { policy: "plimsoll" } },
  "GET /api/settings/presets": { title: "List policy presets" },
  "GET /api/settings/presets/savings": { title: "Read preset savings" },
  "POST /api/settings/presets/savings": { title: "Compute preset savings", body: { do: "cancel" }, status: 202 },
  "GET /api/settings/models": { title: "List models and prices" },
  "PUT /api/settings/models": {
    title: "Override models",
    body: { overrides: [{ match: "claude-sonnet-*", window: 200_000 }] },
  },
  "GET /api/settings/calibration": { title: "Read token calibration" },
  "POST /api/settings/calibration": { title: "Run token calibration", body: { do: "cancel" }, status: 202 },
  "GET /api/settings/warning": { title: "Read the load warning" },
  "PUT /api/settings/warning": { title: "Set the load warning", body: { warnAt: 0.8 } },
  "GET /api/retention": { title: "Read retention rules" },
  "PUT /api/retention": { title: "Set retention rules", body: RULES },
  "GET /api/retention/stats": { title: "Read archive size" },
  "POST /api/retention/preview": { title: "Preview retention rules", body: RULES },
  "POST /api/retention/sweep": { title: "Delete what has expired", body: { dryRun: true } },
  "GET /api/settings/summarizer": { title: "Read the summarizer" },
  "PUT /api/settings/summarizer": { title: "Set the summarizer", body: { kind: "off" } },
  "POST /api/settings/summarizer/try": { title: "Test the summarizer", body: {}, status: 409 },
};

const tokens: Examples = {
  "GET /api/tokens": { title: "List tokens" },
  "POST /api/tokens": { title: "Create a token", body: { name: "my-agent", scope: "write", days: 90 }, status: 201 },
  "DELETE /api/tokens/:id": { title: "Revoke a token", params: { id: NAMES.token }, body: {} },
};

const webhooks: Examples = {
  "GET /api/webhooks": { title: "List webhooks" },
  "POST /api/webhooks": {
    title: "Add a webhook",
    body: { name: "alarm", url: "http://127.0.0.1:9000/plimsoll", kinds: ["near", "refused"] },
    status: 201,
  },
  "PUT /api/webhooks/:id": {
    title: "Change a webhook",
    params: { id: NAMES.webhook },
    body: { kinds: ["finished"], enabled: false },
  },
  "DELETE /api/webhooks/:id": { title: "Remove a webhook", params: { id: NAMES.webhook }, body: {} },
  "POST /api/webhooks/:id/test": { title: "Send a test to a webhook", params: { id: NAMES.webhook }, body: {} },
  "GET /api/webhooks/:id/deliveries": { title: "List deliveries of a webhook", params: { id: NAMES.webhook } },
};

export const settingsExamples: Examples = { ...sources, ...settings, ...tokens, ...webhooks };
