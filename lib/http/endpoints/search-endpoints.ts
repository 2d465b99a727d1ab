// Search over everything, in one query language.
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { searchAnswer, searchQuery } from "#lib/wire/search-schema.ts";
import { get } from "../endpoint.ts";
import { projectsOf } from "../fleet-projects.ts";

export const searchEndpoints = [
  /** Messages, reasoning, arguments, results, stored outputs and memory. */
  get("/api/search", {
    bound: "query",
    query: searchQuery,
    answer: searchAnswer,
    run: ({ app, archive, query, signal, principal }) =>
      app.fleet?.answers.search(query, projectsOf(principal)) ?? searchArchive(archive, { ...query, signal }),
  }),
];
