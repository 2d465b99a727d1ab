// A session as one file: for another archive, for other tools, or for a person without Plimsoll.
import { bundleBytes, planBundle } from "#lib/archive/bundle/write-bundle.ts";
import { reviewExport, writeExport } from "#lib/archive/exports/write-export.ts";
import { exportName, exportSession } from "#lib/archive/sessions/export-session.ts";
import { forbid } from "#lib/kernel/errors.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { exportRequest, exportReview, exportReviewRequest } from "#lib/wire/export-schema.ts";
import { sendStream } from "../bytes.ts";
import { get, post } from "../endpoint.ts";
import { inSession, sessionParams } from "../params.ts";

export const exportEndpoints = [
  /** In chunks: its length is known at its end alone. A failure on the way breaks the connection: no client takes a part for the whole. */
  get("/api/sessions/:id/export", {
    ...inSession,
    run: ({ archive, request, response, params: { id } }) =>
      sendStream(request, response, {
        name: exportName(archive, id),
        contentType: "application/x-ndjson",
        pieces: inPieces(exportSession(archive, id)),
      }),
  }),
  /** The session with its family: no token of one session may ask. */
  get("/api/sessions/:id/bundle", {
    params: sessionParams,
    run: ({ archive, request, response, params: { id } }) => {
      const plan = planBundle(archive, id);
      return sendStream(request, response, {
        name: plan.name,
        contentType: "application/zip",
        pieces: bundleBytes(plan),
      });
    },
  }),
  /** What an export would have that a person should decide on first. */
  post("/api/sessions/:id/export/review", {
    scope: "read",
    params: sessionParams,
    body: exportReviewRequest,
    answer: exportReview,
    run: ({ archive, params, body }) => reviewExport(archive, params.id, body),
  }),
  /** One file in any format, masked as it was decided. */
  post("/api/sessions/:id/export", {
    scope: "read",
    params: sessionParams,
    body: exportRequest,
    run: async ({ archive, request, response, params, body, principal }) => {
      if (body.format === "bundle" && principal.access !== "all")
        forbid("A bundle has whole families of a node's cache. Only an admin of the fleet exports one.");
      return sendStream(request, response, await writeExport(archive, params.id, body));
    },
  }),
];
