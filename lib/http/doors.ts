// The doors that stand in front of Next: bytes, dropped files, the stream of changes, and the two questions
// that the command line asks of a running server.
import { openArtifact } from "#lib/archive/show-artifact.ts";
import { openSourceBytes, rawOfEvent } from "#lib/archive/source-bytes.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { z } from "zod";
import { sendBytes } from "./bytes.ts";
import type { Credentials } from "./credentials.ts";
import { proofOf } from "./endpoint.ts";
import { artifactParams, eventParams } from "./params.ts";
import { sendJson } from "./server.ts";
import type { Door } from "./server.ts";
import type { Slot } from "./slot.ts";
import { changesDoor } from "./streams.ts";
import { receiveFile } from "./upload.ts";

export type DoorParts = {
  readonly slot: Slot;
  /** The archive's folder, where dropped files are kept. */
  readonly dir: string;
  readonly credentials: Pick<Credentials, "newLaunchToken">;
  readonly nonce: string;
  readonly linkOf: (token: string) => string;
};

/** Every byte door by `METHOD path`, as routes.ts names it. */
export function createDoors(parts: DoorParts): ReadonlyMap<string, Door> {
  const { archive, imports, changes } = parts.slot;
  return new Map<string, Door>([
    [
      "GET /api/artifacts/:pointer/raw",
      async ({ request, response, params, query }) => {
        const { pointer } = read(artifactParams, params);
        const found = await openArtifact(archive, pointer);
        const name = found.name ?? `${pointer.replace(":", "-")}${extensionOf(found.contentType)}`;
        await sendBytes(request, response, { ...found, name }, query.get("inline") === "1");
      },
    ],
    [
      "GET /api/sessions/:id/events/:seq/raw",
      async ({ request, response, params, query }) => {
        const { id, seq } = read(eventParams, params);
        const raw = await rawOfEvent(archive, id, seq);
        const bytes = {
          name: raw.name,
          sizeBytes: raw.sizeBytes,
          contentType: "text/plain",
          digest: null,
          read: raw.bytes,
        };
        await sendBytes(request, response, bytes, query.get("inline") === "1");
      },
    ],
    [
      "GET /api/sources/raw",
      async ({ request, response, query }) => {
        const path = query.get("path");
        if (path === null || path === "" || path.length > 4096 || path.includes("\0")) {
          fail("invalid", "Say which source: /api/sources/raw?path=…");
        }
        const raw = await openSourceBytes(archive, path);
        const bytes = {
          name: raw.name,
          sizeBytes: raw.sizeBytes,
          contentType: "text/plain",
          digest: null,
          read: raw.bytes,
        };
        await sendBytes(request, response, bytes, query.get("inline") === "1");
      },
    ],
    ["GET /api/changes", changesDoor(changes)],
    [
      "PUT /api/upload",
      async ({ request, response, query }) => {
        const path = await receiveFile(parts.dir, request, query.get("name") ?? "", LIMITS.uploadBytes);
        const { id, done } = await imports.start([path]);
        // Its end is told by the stream of changes; here nobody waits for it.
        done.catch(() => undefined);
        sendJson(response, 202, { id, path });
      },
    ],
    [
      "GET /api/endpoint",
      async ({ response, query }) => {
        const challenge = query.get("challenge") ?? "";
        if (!/^[0-9a-f]{32,128}$/.test(challenge)) fail("invalid", "A challenge is 32 to 128 hexadecimal digits.");
        sendJson(response, 200, { proof: proofOf(parts.nonce, challenge) });
      },
    ],
    [
      "POST /api/launch",
      async ({ request, response }) => {
        request.resume();
        sendJson(response, 200, { link: parts.linkOf(parts.credentials.newLaunchToken()), pid: process.pid });
      },
    ],
  ]);
}

function read<T>(schema: z.ZodType<T>, params: Readonly<Record<string, string>>): T {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  return fail("invalid", `The path of this request is not as expected: ${issue?.path.join(".")} ${issue?.message}.`);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": ".json",
  "application/x-ndjson": ".jsonl",
  "text/csv": ".csv",
  "text/html": ".html",
  "text/markdown": ".md",
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "application/pdf": ".pdf",
};

function extensionOf(contentType: string): string {
  const type = contentType.split(";")[0]?.trim() ?? "";
  return EXTENSIONS[type] ?? (type.startsWith("text/") ? ".txt" : ".bin");
}
