// What the admins of a project delete and put back, and how long it keeps its sessions.
import {
  deletedAnswer,
  deletedQuery,
  fleetDeleteAnswer,
  fleetDeleteRequest,
  fleetRestoreAnswer,
  fleetRestoreRequest,
  projectRetention,
  projectRetentionAnswer,
  projectRetentionRequest,
  retentionOver,
} from "#lib/wire/fleet-retention-schema.ts";
import { get, post, put } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { managedBy, nodeOf, requireRole } from "../fleet-projects.ts";

export const fleetRetentionEndpoints = [
  /** With its family: sub-agents, and sessions that share its history. */
  post("/api/fleet/delete", {
    body: fleetDeleteRequest,
    answer: fleetDeleteAnswer,
    run: ({ app, body, principal, request }) =>
      nodeOf(app).retention.remove({ ...body, ...askedBy({ principal, request }), managed: managedBy(principal) }),
  }),
  post("/api/fleet/restore", {
    body: fleetRestoreRequest,
    answer: fleetRestoreAnswer,
    run: ({ app, body, principal, request }) =>
      nodeOf(app).retention.restore({ ...body, ...askedBy({ principal, request }), managed: managedBy(principal) }),
  }),
  get("/api/fleet/deleted", {
    scope: "admin",
    query: deletedQuery,
    answer: deletedAnswer,
    run: async ({ app, query, principal }) => ({
      families: await nodeOf(app).retention.listDeleted({ ...query, visible: managedBy(principal) }),
    }),
  }),
  get("/api/fleet/retention", {
    scope: "admin",
    answer: projectRetentionAnswer,
    run: async ({ app, principal }) => ({ projects: await nodeOf(app).retention.list(managedBy(principal)) }),
  }),
  /** What limits would delete now; nothing is set. */
  post("/api/fleet/retention/preview", {
    body: projectRetentionRequest,
    answer: retentionOver,
    run: ({ app, body, principal }) => {
      const node = nodeOf(app);
      requireRole(principal, body.project, "admin");
      return node.retention.preview(body);
    },
  }),
  /** Applied within ten minutes. */
  put("/api/fleet/retention", {
    body: projectRetentionRequest,
    answer: projectRetention,
    run: ({ app, body, principal, request }) => {
      const node = nodeOf(app);
      requireRole(principal, body.project, "admin");
      return node.retention.set(body, askedBy({ principal, request }));
    },
  }),
];
