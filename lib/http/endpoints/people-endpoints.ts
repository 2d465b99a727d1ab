// Who may come into a fleet, as its admins manage it: tokens with a project, and people with their roles.
import {
  auditAnswer,
  auditQuery,
  createdFleetToken,
  fleetPeopleAnswer,
  fleetTokenRequest,
  fleetTokenRow,
  fleetTokensAnswer,
  personRoleAnswer,
  personRoleRequest,
  removedPerson,
  signInLink,
  signInLinkRequest,
} from "#lib/wire/fleet-people-schema.ts";
import { z } from "zod";
import { forbid } from "#lib/kernel/errors.ts";
import { del, get, post, put } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { managedBy, nodeOf, requireRole } from "../fleet-projects.ts";
import { personParams, tokenParams } from "../params.ts";

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
    run: ({ app, body, principal, request }) => {
      const { people } = nodeOf(app);
      if (body.project !== null) requireRole(principal, body.project, "admin");
      else if (principal.access !== "all")
        forbid("Only an admin of the fleet makes tokens of every project. Name a project.");
      return people.createToken(body, askedBy({ principal, request }));
    },
  }),
  del("/api/fleet/tokens/:id", {
    params: tokenParams,
    body: z.strictObject({}),
    answer: fleetTokenRow,
    run: ({ app, params, principal, request }) =>
      nodeOf(app).people.revokeToken(params.id, managedBy(principal), askedBy({ principal, request })),
  }),
  get("/api/fleet/people", {
    scope: "admin",
    answer: fleetPeopleAnswer,
    run: async ({ app, principal }) => ({ people: await nodeOf(app).people.listPeople(managedBy(principal)) }),
  }),
  /** One role in one project, or in the whole fleet. */
  put("/api/fleet/people", {
    body: personRoleRequest,
    answer: personRoleAnswer,
    run: ({ app, body, principal, request }) => {
      const { people } = nodeOf(app);
      if (body.project !== null) requireRole(principal, body.project, "admin");
      else if (principal.access !== "all")
        forbid("Only an admin of the fleet makes admins of the fleet. Name a project.");
      return people.setRole(body, askedBy({ principal, request }));
    },
  }),
  /** Whoever opens it comes in as this person: for admins of the fleet, who may do all that they may. */
  post("/api/fleet/links", {
    body: signInLinkRequest,
    answer: signInLink,
    status: 201,
    isSecret: true,
    run: ({ app, body, principal, request }) =>
      nodeOf(app).people.createLink(body.email, body.minutes, askedBy({ principal, request })),
  }),
  /** From every project, with their links, browsers and the tokens in their name. */
  del("/api/fleet/people/:email", {
    params: personParams,
    body: z.strictObject({}),
    answer: removedPerson,
    run: ({ app, params, principal, request }) =>
      nodeOf(app).people.removePerson(params.email, askedBy({ principal, request })),
  }),
];
