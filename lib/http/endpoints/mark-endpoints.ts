// Labels, stars and notes, and saved searches.
import { dropSearch, listLabels, listMarks, listSearches, saveSearch } from "#lib/archive/settings/marks.ts";
import { requireSearch } from "#lib/archive/search/scan-matches.ts";
import {
  dropSearchRequest,
  labelsAnswer,
  markRequest,
  marksAnswer,
  savedSearch,
  saveSearchRequest,
  searchesAnswer,
} from "#lib/wire/marks-schema.ts";
import { z } from "zod";
import { del, get, put } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { setNotedMark } from "../note-deletion.ts";
import { projectsOf, searcherOf } from "../fleet-projects.ts";
import { inSession, sessionParams } from "../params.ts";

export const markEndpoints = [
  /** What a person marked the session and its events with. */
  get("/api/sessions/:id/marks", {
    ...inSession,
    answer: marksAnswer,
    run: ({ archive, params }) => listMarks(archive, params.id),
  }),
  /** Sets a label, a star or a note, or takes it away. */
  put("/api/sessions/:id/marks", {
    scope: "write",
    params: sessionParams,
    body: markRequest,
    answer: marksAnswer,
    run: async (call) => {
      const { app, params, body } = call;
      const answer = await setNotedMark(call, params.id, body);
      app.changes.publish({ type: "sessions" });
      return answer;
    },
  }),
  get("/api/labels", {
    answer: labelsAnswer,
    run: ({ app, archive, principal }) => app.fleet?.answers.labels(projectsOf(principal)) ?? listLabels(archive),
  }),
  get("/api/searches", {
    answer: searchesAnswer,
    run: ({ app, archive, principal }) =>
      app.fleet?.people.searches.list(searcherOf(principal)) ?? listSearches(archive),
  }),
  put("/api/searches", {
    body: saveSearchRequest,
    answer: savedSearch,
    run: async ({ app, archive, body, principal }) => {
      requireSearch(body.query, archive.host.now());
      const saved = await (app.fleet?.people.searches.save(searcherOf(principal), body) ?? saveSearch(archive, body));
      app.changes.publish({ type: "sessions" });
      return saved;
    },
  }),
  del("/api/searches", {
    body: dropSearchRequest,
    answer: z.object({ deleted: z.boolean() }),
    run: async ({ app, archive, body, principal, request }) => {
      const by = askedBy({ principal, request });
      const dropped = await (app.fleet?.people.searches.drop(searcherOf(principal), body.name, by) ??
        dropSearch(archive, body));
      app.changes.publish({ type: "sessions" });
      return dropped;
    },
  }),
];
