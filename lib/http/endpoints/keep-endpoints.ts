// What is kept of sessions whose agents delete or rewrite their files: earlier versions, and giving files back.
import { previewRestore, restoreSession } from "#lib/archive/keep/restore-session.ts";
import { sessionVersions } from "#lib/archive/keep/version-differences.ts";
import {
  versionsAnswer,
  restoreAnswer,
  restoreQuery,
  restoreRequest,
  type RestoreRequest,
} from "#lib/wire/restore-schema.ts";
import type { AppContext } from "../app-context.ts";
import { get, post } from "../endpoint.ts";
import { sessionParams } from "../params.ts";

async function optionsOf({ imports }: AppContext, session: string, request: RestoreRequest, signal: AbortSignal) {
  const roots = (await imports.folders()).map(({ path }) => path);
  return { session, to: request.to, version: request.version, roots, signal };
}

export const keepEndpoints = [
  /** Earlier versions of the session's file, the latest first. They are other sessions: a bound token does not see them. */
  get("/api/sessions/:id/versions", {
    params: sessionParams,
    answer: versionsAnswer,
    run: ({ archive, params }) => sessionVersions(archive, params.id),
  }),
  /** Reads the files whole, for their digests; writes nothing. For who may restore: it says what is on the disk. */
  get("/api/sessions/:id/restore-preview", {
    scope: "admin",
    params: sessionParams,
    query: restoreQuery,
    answer: restoreAnswer,
    run: async ({ app, archive, params, query, signal }) =>
      previewRestore(archive, await optionsOf(app, params.id, query, signal)),
  }),
  post("/api/sessions/:id/restore", {
    params: sessionParams,
    body: restoreRequest,
    answer: restoreAnswer,
    run: async ({ app, archive, params, body, signal }) => {
      const answer = await restoreSession(archive, await optionsOf(app, params.id, body, signal));
      const restored = answer.files.filter(({ state, role }) => state === "restored" && role !== "output");
      // The watcher sees them too; without one they would be listed as deleted until the next start.
      if (body.to === undefined && restored.length > 0) {
        const { done } = await app.imports.start(restored.map(({ path }) => path));
        done.catch(() => undefined);
      }
      return answer;
    },
  }),
];
