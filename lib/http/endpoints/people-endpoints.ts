// Who may come into a fleet, as its admins manage it: tokens with a project.
import {
  auditAnswer,
  auditQuery,
  createdFleetToken,
  fleetTokenRequest,
  fleetTokenRow,
  fleetTokensAnswer,
} from "#lib/wire/fleet-people-schema.ts";
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { del, get, post } from "../endpoint.ts";
import { managedBy, nodeOf, requireRole } from "../fleet-projects.ts";
import { tokenParams } from "../params.ts";

export const peopleEndpoints = [
  /** Who read what outside their own projects, and who deleted what. */
  get("/api/fleet/audit", {
    scope: "admin",
    query: auditQuery,
    answer: auditAnswer,
    run: async ({ app, query, principal }) => ({
      rows: await nodeOf(app).people.listAudit({ ...query, visible: managedBy(principal) }),
    }),
  }),
  get("/api/fleet/tokens", {
    scope: "admin",
    answer: fleetTokensAnswer,
    run: async ({ app, principal }) => ({ tokens: await nodeOf(app).people.listTokens(managedBy(principal)) }),
  }),
  /** The answer holds the token: it is shown this once. */
  post("/api/fleet/tokens", {
    body: fleetTokenRequest,
    answer: createdFleetToken,
    status: 201,
    isSecret: true,
    run: ({ app, body, principal }) => {
      const { people } = nodeOf(app);
      if (body.project !== null) requireRole(principal, body.project, "admin");
      else if (principal.access !== "all")
        fail("invalid", "Only an admin of the fleet makes tokens of every project. Name a project.");
      return people.createToken(body, principal.id);
    },
  }),
  del("/api/fleet/tokens/:id", {
    params: tokenParams,
    body: z.strictObject({}),
    answer: fleetTokenRow,
    run: ({ app, params, principal }) => nodeOf(app).people.revokeToken(params.id, managedBy(principal)),
  }),
];
