// Artifacts: the list, one with its lines, its shape, and what is found in it; and what is found in many.
import { z } from "zod";
import { artifactLines } from "#lib/archive/artifacts/artifact-lines.ts";
import { queryArtifact, searchArtifact } from "#lib/archive/artifacts/ask-artifact.ts";
import { deleteArtifact, deletePreview } from "#lib/archive/artifacts/delete-artifact.ts";
import { askJson } from "#lib/archive/artifacts/json-tree.ts";
import { shapeOfArtifact } from "#lib/archive/artifacts/shape-of-artifact.ts";
import { artifactHistory } from "#lib/archive/sessions/artifact-lineage.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { grepArtifacts } from "#lib/archive/playground/grep-artifacts.ts";
import { openArtifact, showArtifact } from "#lib/archive/sessions/show-artifact.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { artifactHistory as artifactHistoryAnswer } from "#lib/wire/artifact-history-schema.ts";
import {
  artifactsAnswer,
  artifactsQuery,
  artifactView,
  highlightAnswer,
  linesAnswer,
  linesQuery,
} from "#lib/wire/artifacts-schema.ts";
import {
  jsonBelowAnswer,
  jsonBelowQuery,
  jsonFindAnswer,
  jsonFindQuery,
  jsonLocationAnswer,
  jsonLocationQuery,
  jsonRowsAnswer,
  jsonRowsQuery,
  jsonTextAnswer,
  jsonTextQuery,
} from "#lib/wire/json-tree-schema.ts";
import { grepManyRun, type GrepManyPiece } from "#lib/wire/grep-many-schema.ts";
import { deletePreviewAnswer, tombstone } from "#lib/wire/retention-schema.ts";
import { shapeAnswer } from "#lib/wire/shape-schema.ts";
import { grepAnswer, grepQuery, jqAnswer, jqQuery, jqRequest } from "#lib/wire/tools-schema.ts";
import { del, get, post } from "../endpoint.ts";
import { projectsOf } from "../fleet-projects.ts";
import { askerOf, streaming } from "../stream-pieces.ts";
import { highlightNumbered } from "../highlight.ts";
import { artifactParams, ofArtifact } from "../params.ts";

const one = [
  get("/api/artifacts", {
    bound: "query",
    query: artifactsQuery,
    answer: artifactsAnswer,
    run: ({ app, archive, query, principal }) =>
      query.session === undefined && app.fleet !== null
        ? app.fleet.answers.artifacts(query, projectsOf(principal))
        : listArtifacts(archive, query),
  }),
  get("/api/artifacts/:pointer", {
    ...ofArtifact,
    answer: artifactView,
    run: async ({ archive, params, principal: { session } }) => {
      const view = await showArtifact(archive, params.pointer);
      // That another session stored the same bytes is not for a token that is bound to this one.
      return session === null
        ? view
        : { ...view, sameBytes: view.sameBytes.filter(({ sessionId }) => sessionId === session) };
    },
  }),
  del("/api/artifacts/:pointer", {
    params: artifactParams,
    answer: tombstone,
    run: ({ archive, params }) => deleteArtifact(archive, params.pointer),
  }),
  get("/api/artifacts/:pointer/delete-preview", {
    params: artifactParams,
    answer: deletePreviewAnswer,
    run: ({ archive, params }) => deletePreview(archive, params.pointer),
  }),
  get("/api/artifacts/:pointer/history", {
    params: artifactParams,
    answer: artifactHistoryAnswer,
    run: ({ archive, params }) => artifactHistory(archive, params.pointer),
  }),
];

const text = [
  get("/api/artifacts/:pointer/lines", {
    ...ofArtifact,
    query: linesQuery,
    answer: linesAnswer,
    run: ({ archive, params, query }) => artifactLines(archive, params.pointer, query),
  }),
  /** Colours for the text viewer: the head of an artifact, up to what is highlighted. */
  get("/api/artifacts/:pointer/highlight", {
    params: artifactParams,
    query: z.object({ language: z.string().max(40) }),
    answer: highlightAnswer,
    run: async ({ archive, params, query }) => {
      const artifact = await openArtifact(archive, params.pointer);
      const end = Math.min(artifact.sizeBytes, LIMITS.highlightBytes);
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of artifact.read({ start: 0, end })) text += decoder.decode(chunk, { stream: true });
      text += decoder.decode();
      if (end === artifact.sizeBytes) return highlightNumbered(text, query.language);
      // The last line that came is only a part: it stays plain, as everything after it.
      const answer = await highlightNumbered(text.slice(0, text.lastIndexOf("\n")), query.language);
      return { ...answer, cutAtBytes: end };
    },
  }),
  get("/api/artifacts/:pointer/grep", {
    ...ofArtifact,
    query: grepQuery,
    answer: grepAnswer,
    run: ({ archive, params, query, principal, signal }) =>
      searchArtifact(archive, params.pointer, query, principal.id, signal),
  }),
  get("/api/artifacts/:pointer/jq", {
    ...ofArtifact,
    query: jqQuery,
    answer: jqAnswer,
    run: ({ archive, params, query, principal, signal }) =>
      queryArtifact(archive, params.pointer, query, principal.id, signal),
  }),
  /** The same for a program that is too long for an address. */
  post("/api/artifacts/:pointer/jq", {
    scope: "read",
    ...ofArtifact,
    body: jqRequest,
    answer: jqAnswer,
    run: ({ archive, params, body, principal, signal }) =>
      queryArtifact(archive, params.pointer, body, principal.id, signal),
  }),
];

const json = [
  get("/api/artifacts/:pointer/shape", {
    ...ofArtifact,
    answer: shapeAnswer,
    run: ({ archive, params }) => shapeOfArtifact(archive, params.pointer),
  }),
  get("/api/artifacts/:pointer/json", {
    ...ofArtifact,
    query: jsonRowsQuery,
    answer: jsonRowsAnswer,
    run: ({ archive, params, query, signal }) => askJson(archive, params.pointer, { what: "rows", ...query }, signal),
  }),
  get("/api/artifacts/:pointer/json/text", {
    ...ofArtifact,
    query: jsonTextQuery,
    answer: jsonTextAnswer,
    run: ({ archive, params, query, signal }) => askJson(archive, params.pointer, { what: "text", ...query }, signal),
  }),
  get("/api/artifacts/:pointer/json/find", {
    ...ofArtifact,
    query: jsonFindQuery,
    answer: jsonFindAnswer,
    run: ({ archive, params, query, signal }) => askJson(archive, params.pointer, { what: "find", ...query }, signal),
  }),
  get("/api/artifacts/:pointer/json/location", {
    ...ofArtifact,
    query: jsonLocationQuery,
    answer: jsonLocationAnswer,
    run: ({ archive, params, query, signal }) =>
      askJson(archive, params.pointer, { what: "location", ...query }, signal),
  }),
  get("/api/artifacts/:pointer/json/below", {
    ...ofArtifact,
    query: jsonBelowQuery,
    answer: jsonBelowAnswer,
    run: ({ archive, params, query, signal }) => askJson(archive, params.pointer, { what: "below", ...query }, signal),
  }),
];

const many = [
  post("/api/artifacts/grep", {
    scope: "read",
    bound: "own",
    body: grepManyRun,
    run: (call) =>
      streaming<GrepManyPiece>(call, (out) =>
        grepArtifacts(call.archive, call.body, askerOf(call), { onStart: out.begin, onPiece: out.tell }),
      ),
  }),
];

export const artifactEndpoints = [...many, ...one, ...text, ...json];
