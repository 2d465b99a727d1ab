// The first page's answer; findings across sessions: the list, one with where it was seen, and what a person did about it.
import { listFindings, markFinding, showFinding } from "#lib/archive/load/list-findings.ts";
import {
  findingAnswer,
  findingParams,
  findingRow,
  findingsAnswer,
  findingsQuery,
  findingMarkRequest,
} from "#lib/wire/findings-schema.ts";
import { readHome } from "#lib/archive/load/home-answer.ts";
import { homeAnswer, homeQuery } from "#lib/wire/home-schema.ts";
import { get, put } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { projectsOf, writableBy } from "../fleet-projects.ts";

export const findingEndpoints = [
  get("/api/home", {
    query: homeQuery,
    answer: homeAnswer,
    run: ({ app, archive, query, principal }) =>
      app.fleet?.answers.home(query, projectsOf(principal)) ?? readHome(archive, query),
  }),
  get("/api/findings", {
    query: findingsQuery,
    answer: findingsAnswer,
    run: ({ app, archive, query, principal }) =>
      app.fleet?.answers.findings(query, projectsOf(principal)) ?? listFindings(archive, query),
  }),
  get("/api/findings/:id", {
    params: findingParams,
    answer: findingAnswer,
    run: ({ app, archive, params, principal }) =>
      app.fleet?.answers.finding(params.id, projectsOf(principal)) ?? showFinding(archive, params.id),
  }),
  put("/api/findings/:id/mark", {
    scope: "write",
    params: findingParams,
    body: findingMarkRequest,
    answer: findingRow,
    run: async ({ app, archive, params, body, principal, request }) => {
      const marked = await (app.fleet?.answers.markFinding(
        params.id,
        body,
        { visible: projectsOf(principal), writable: writableBy(principal) },
        askedBy({ principal, request }),
      ) ?? markFinding(archive, params.id, body));
      app.changes.publish({ type: "sessions" });
      return marked;
    },
  }),
];
