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

export const findingEndpoints = [
  get("/api/home", {
    query: homeQuery,
    answer: homeAnswer,
    run: ({ archive, query }) => readHome(archive, query),
  }),
  get("/api/findings", {
    query: findingsQuery,
    answer: findingsAnswer,
    run: ({ archive, query }) => listFindings(archive, query),
  }),
  get("/api/findings/:id", {
    params: findingParams,
    answer: findingAnswer,
    run: ({ archive, params }) => showFinding(archive, params.id),
  }),
  put("/api/findings/:id/mark", {
    scope: "write",
    params: findingParams,
    body: findingMarkRequest,
    answer: findingRow,
    run: ({ archive, params, body }) => markFinding(archive, params.id, body),
  }),
];
