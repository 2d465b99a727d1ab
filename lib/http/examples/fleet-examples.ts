// Examples of the endpoints of a fleet's node. A server without a fleet answers most of them with 422, which is what their test
// sees; bin/fleet-commands.test.ts asks them of a node.
import type { Examples } from "./example.ts";

const DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

const SENDING = {
  on: false,
  to: "https://plimsoll.example.com",
  project: "shop",
  exclude: ["/home/me/private"],
  mask: "secrets",
};

/** Not a node of a fleet. */
const status = 422;

export const fleetExamples: Examples = {
  "GET /api/sending": { title: "Read whether sessions are sent" },
  "PUT /api/sending": { title: "Set whether sessions are sent", body: SENDING },
  "POST /api/sending/preview": { title: "Preview sending", body: { ...SENDING, to: "" }, status: 400 },
  "POST /api/sending/now": { title: "Send now", body: {} },
  "POST /api/fleet/missing": {
    title: "Ask which objects are missing",
    body: { objects: [{ digest: DIGEST, bytes: 4096, kind: "segment" }] },
    status,
  },
  "POST /api/fleet/commits": {
    title: "Hand in a session",
    body: { project: "shop", sender: "laptop", family: { manifest: {}, entries: {} } },
    status,
  },
  "GET /api/fleet/commits/:project/:id": {
    title: "Read a commit's state",
    params: { project: "shop", id: DIGEST.slice(0, 32) },
    status,
  },
  "GET /api/fleet/audit": { title: "List the audit log", query: { project: "shop", limit: "20" }, status },
  "GET /api/fleet/tokens": { title: "List the fleet's tokens", status },
  "POST /api/fleet/tokens": {
    title: "Make a token of the fleet",
    body: { name: "build server", scope: "send", project: "shop", days: 30 },
    status,
  },
  "DELETE /api/fleet/tokens/:id": {
    title: "Revoke a token of the fleet",
    params: { id: "ft_0123456789ab" },
    body: {},
    status,
  },
  "GET /api/fleet/people": { title: "List the fleet's people", status },
  "PUT /api/fleet/people": {
    title: "Give or take a role",
    body: { email: "mary@example.com", project: "shop", role: "reader" },
    status,
  },
  "POST /api/fleet/links": {
    title: "Make a link that signs a person in",
    body: { email: "mary@example.com", minutes: 15 },
    status,
  },
  "DELETE /api/fleet/people/:email": {
    title: "Remove a person from the fleet",
    params: { email: "mary@example.com" },
    body: {},
    status,
  },
  "POST /api/fleet/delete": {
    title: "Delete a session from the fleet",
    body: { session: "s_0123456789abcdef", reason: "has a customer's password", dryRun: true },
    status,
  },
  "POST /api/fleet/restore": {
    title: "Restore a session of the fleet",
    body: { session: "s_0123456789abcdef" },
    status,
  },
  "GET /api/fleet/deleted": { title: "List what was deleted", query: { project: "shop" }, status },
  "GET /api/fleet/retention": { title: "List the limits of projects", status },
  "PUT /api/fleet/retention": {
    title: "Limit what a project keeps",
    body: { project: "shop", days: 90, bytes: 50_000_000_000 },
    status,
  },
  "POST /api/fleet/retention/preview": {
    title: "Preview what limits would delete",
    body: { project: "shop", days: 90, bytes: null },
    status,
  },
  "GET /api/ready": { title: "Check that a node reaches its fleet" },
  "GET /metrics": { title: "Read a node's metrics", status },
};
