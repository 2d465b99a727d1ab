// Sources: the folders and files that are read, imports, files that are dropped on a page, attached memory folders.
import { z } from "zod";
import {
  attachDirectory,
  detachDirectory,
  listAttached,
  refreshAttached,
} from "#lib/archive/memory/attach-directory.ts";
import { listProblems } from "#lib/archive/sources/list-sources.ts";
import { openSourceBytes } from "#lib/archive/sources/source-bytes.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { attachedAnswer, attachedList, attachRequest, detachedAnswer } from "#lib/wire/attached-schema.ts";
import {
  addSourceRequest,
  archivedRequest,
  importAnswer,
  importProgress,
  importRequest,
  problemsAnswer,
  sourcesAnswer,
} from "#lib/wire/sources-schema.ts";
import { sendStored } from "../bytes.ts";
import { del, get, post, put } from "../endpoint.ts";
import { importParams, inlineQuery, problemsQuery, sessionParams, sourcesQuery } from "../params.ts";
import { sourcesNow } from "../sources-now.ts";
import { receiveFile } from "../upload.ts";

const path = z.object({ path: z.string() });
const id = z.object({ id: z.string() });

const sources = [
  get("/api/sources", {
    query: sourcesQuery,
    answer: sourcesAnswer,
    run: ({ app, query }) => sourcesNow(app, query),
  }),
  post("/api/sources", {
    body: addSourceRequest,
    answer: path,
    run: async ({ app, body }) => {
      await app.imports.addRoot(body.path);
      return { path: body.path };
    },
  }),
  del("/api/sources", {
    query: z.object({ path: z.string().min(1).max(4096) }),
    answer: path,
    run: async ({ app, query }) => {
      await app.imports.removeRoot(query.path);
      return { path: query.path };
    },
  }),
  put("/api/sources/archived", {
    body: archivedRequest,
    answer: archivedRequest,
    run: async ({ app, body }) => {
      await app.imports.readArchived(body.path, body.on);
      return body;
    },
  }),
  get("/api/sources/problems", {
    query: problemsQuery,
    answer: problemsAnswer,
    run: ({ archive, query }) => listProblems(archive, query),
  }),
  get("/api/sources/raw", {
    query: inlineQuery.extend({ path: z.string().optional() }),
    run: async (call) => {
      const { path = "" } = call.query;
      if (path === "" || path.length > 4096 || path.includes("\0"))
        fail("invalid", "No source was given. Name one: /api/sources/raw?path=…");
      await sendStored(call, await openSourceBytes(call.archive, path));
    },
  }),
];

const imports = [
  get("/api/imports", {
    answer: z.object({ import: importProgress.nullable(), jobs: z.array(importProgress) }),
    run: ({ app: { imports } }) => ({ import: imports.progress(), jobs: imports.jobs() }),
  }),
  post("/api/imports", {
    body: importRequest,
    answer: id,
    status: 202,
    run: async ({ app, body }) => {
      const { id, done } = await app.imports.start(body.paths);
      // Its end is told by the stream of changes; here nobody waits for it.
      done.catch(() => undefined);
      return { id };
    },
  }),
  /** Retries an import that failed. */
  post("/api/imports/:id", {
    params: importParams,
    answer: id,
    status: 202,
    run: async ({ app, params }) => {
      await app.imports.retry(params.id);
      return { id: params.id };
    },
  }),
  del("/api/imports/:id", {
    params: importParams,
    answer: id,
    run: async ({ app, params }) => {
      await app.imports.cancel(params.id);
      return { id: params.id };
    },
  }),
  put("/api/upload", {
    takes: "bytes",
    bodyBytes: LIMITS.uploadBytes,
    query: z.object({ name: z.string().default("") }),
    answer: id.extend(path.shape),
    status: 202,
    run: async ({ app, archive, request, query }) => {
      const path = await receiveFile(archive.dir, request, query.name, LIMITS.uploadBytes);
      const { id, done } = await app.imports.start([path]);
      done.catch(() => undefined);
      return { id, path };
    },
  }),
  post("/api/demo", { answer: importAnswer, run: ({ app }) => app.imports.loadDemo() }),
];

const attached = [
  get("/api/attached", { answer: attachedList, run: ({ archive }) => listAttached(archive) }),
  post("/api/attached", {
    body: attachRequest,
    answer: attachedAnswer,
    run: ({ archive, body }) => attachDirectory(archive, body.path),
  }),
  del("/api/attached/:id", {
    params: sessionParams,
    answer: detachedAnswer,
    run: ({ archive, params }) => detachDirectory(archive, params.id),
  }),
  post("/api/attached/:id/refresh", {
    params: sessionParams,
    answer: attachedAnswer,
    run: ({ archive, params }) => refreshAttached(archive, params.id),
  }),
];

export const sourceEndpoints = [...sources, ...imports, ...attached];
