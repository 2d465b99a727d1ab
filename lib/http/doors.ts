// The doors that stand in front of Next: bytes, dropped files, the stream of changes, and the two questions
// that the command line asks of a running server.
import { isTokenLive } from "#lib/archive/settings/access-tokens.ts";
import { openSourceBytes, rawOfEvent } from "#lib/archive/sources/source-bytes.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { artifactDoors } from "./artifact-doors.ts";
import { sendBytes } from "./bytes.ts";
import { contextDoor } from "./context-door.ts";
import type { Credentials } from "./credentials.ts";
import { proofOf } from "./endpoint.ts";
import { exportDoor } from "./export-door.ts";
import { tokenIdOf } from "./holder.ts";
import { checked, eventParams } from "./params.ts";
import { playgroundDoors } from "./playground-doors.ts";
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
    ...artifactDoors(archive),
    ...playgroundDoors(archive),
    ["GET /api/sessions/:id/context/raw", contextDoor(archive)],
    ["GET /api/sessions/:id/export", exportDoor(archive)],
    [
      "GET /api/sessions/:id/events/:seq/raw",
      async ({ request, response, params, query }) => {
        const { id, seq } = checked(eventParams, params, "path");
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
    [
      "GET /api/changes",
      changesDoor(changes, (holder) => holder.kind !== "token" || isTokenLive(archive, tokenIdOf(holder))),
    ],
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
