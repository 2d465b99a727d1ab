// Where BoundedToolExecutor may keep large outputs: the folder of an ArtifactStore, or a running Plimsoll. (In a session's
// memory: memoryBackend.) And the tools with which a model reads them back.
import { isAppError } from "#lib/kernel/errors.ts";
import type { ArtifactBackend } from "#lib/kernel/tools/artifact-backend.ts";
import type { BoundedTool } from "#lib/kernel/tools/bounded-tool.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { RemoteSession } from "./remote-session.ts";
import type { Plimsoll } from "./remote.ts";

/** A store in a folder, for the outputs of one session. */
export function folderBackend(store: ArtifactStore, session_id: string): ArtifactBackend {
  return {
    async store({ bytes, toolName, ttlSeconds }, mayCommit) {
      const outcome = await store.storeOutcome(session_id, bytes, toolName, ttlSeconds, mayCommit);
      if (outcome.status === "failed") return outcome;
      const { artifact_id, pointer, file_path, created_at, expiresAt } = outcome.ref;
      return {
        status: "stored",
        artifactId: artifact_id,
        pointer,
        path: file_path,
        createdAt: new Date(created_at * 1000).toISOString(),
        expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      };
    },
  };
}

/** A store in a session of a running Plimsoll. `turn` is asked for each output, and kept with it. */
export function remoteBackend(
  session: RemoteSession,
  turn: () => number | undefined = () => undefined,
): ArtifactBackend {
  return {
    async store({ bytes, name, toolName, callId, facts, ttlSeconds }, mayCommit) {
      try {
        const stored = await session.storeArtifact(whileOpen(bytes, mayCommit), {
          name,
          toolName,
          toolCallId: callId,
          turn: turn(),
          contentType: facts.contentType,
          ttlSeconds,
        });
        const { artifactId, pointer, createdAt, expiresAt } = stored;
        return { status: "stored", artifactId, pointer, path: null, createdAt, expiresAt };
      } catch (error) {
        if (!mayCommit()) return { status: "failed", reason: "the turn was closed" };
        return { status: "failed", reason: isAppError(error) ? error.message : "the request failed" };
      }
    },
  };
}

/** The bytes, broken off when the turn is closed meanwhile: the server keeps nothing of a body that has no end. */
async function* whileOpen(bytes: Uint8Array, mayCommit: () => boolean): AsyncGenerator<Uint8Array> {
  const check = (): void => {
    if (!mayCommit()) throw new Error("the turn was closed");
  };
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    check();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
  check();
}
const PIECE_BYTES = 256 * 1024;

/** Reading tools of a running Plimsoll, for a model that works in this session. */
export async function remoteTools(
  plimsoll: Plimsoll,
  session: RemoteSession,
  names: readonly string[] = ["artifact_read", "artifact_grep", "artifact_jq", "artifact_list"],
): Promise<
  readonly (BoundedTool & { readonly description: string; readonly parameters: Readonly<Record<string, unknown>> })[]
> {
  const known = await plimsoll.tools();
  return known
    .filter(({ name }) => names.includes(name))
    .map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
      async execute(input: unknown) {
        const { text, isError } = await session.tool(name, input as object);
        return isError ? { content: text, isError } : text;
      },
    }));
}
