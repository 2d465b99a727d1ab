// What senders ask a node of a fleet: which bytes are missing, and to take a commit in. And figures for who watches it.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { commitAnswer, commitRequest, fleetProject, missingAnswer, missingRequest } from "#lib/wire/fleet-schema.ts";
import { get, post } from "../endpoint.ts";
import { nodeOf, projectsOf, projectToSend, requireSender } from "../fleet-projects.ts";

export const fleetEndpoints = [
  post("/api/fleet/missing", {
    scope: "send",
    body: missingRequest,
    answer: missingAnswer,
    run: ({ app, body, principal }) => {
      const node = nodeOf(app);
      const { family, ...rest } = body;
      if (family === undefined) {
        requireSender(principal);
        return node.missing(rest);
      }
      return node.missing({ ...rest, family: { ...family, project: projectToSend(principal, family.project) } });
    },
  }),
  post("/api/fleet/commits", {
    scope: "send",
    body: commitRequest,
    bodyBytes: LIMITS.bundleManifestBytes,
    answer: commitAnswer,
    run: ({ app, body, principal }) => {
      const node = nodeOf(app);
      const project = projectToSend(principal, body.project);
      return node.commit({ ...body, project }, principal.person ?? null);
    },
  }),
  get("/api/fleet/commits/:project/:id", {
    params: z.object({ project: fleetProject, id: z.string().regex(/^[0-9a-f]{32}$/) }),
    answer: commitAnswer,
    run: ({ app, params, principal }) => nodeOf(app).readCommit(params.project, params.id, projectsOf(principal)),
  }),
  /** Whether requests may be sent here: a node that cannot reach a part of its fleet says which. */
  get("/api/ready", {
    auth: "open",
    answer: z.object({ ok: z.literal(true) }),
    run: async ({ app }) => {
      await app.fleet?.ready();
      return { ok: true as const };
    },
  }),
  /** Counts and times alone, in Prometheus' format. */
  get("/metrics", {
    run: async ({ app, response }) => {
      const { contentType, text } = await nodeOf(app).metrics();
      response.writeHead(200, { "content-type": contentType }).end(text);
    },
  }),
];
