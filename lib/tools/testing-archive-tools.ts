// What the tests of the tools share: an archive with two held sessions, and a call in one of them.
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact, type StoreInput } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import type { StoredArtifact } from "#lib/wire/held-schema.ts";
import type { ToolAnswer } from "#lib/wire/tools-schema.ts";
import type { PinnedArguments } from "#lib/wire/tokens-schema.ts";
import { runTool } from "./run-tool.ts";

export type Bench = {
  readonly archive: Archive;
  put(content: string | Uint8Array, request?: Partial<StoreInput>): Promise<StoredArtifact>;
  call(name: string, input: unknown, session?: string, pinned?: PinnedArguments): Promise<ToolAnswer>;
  text(name: string, input: unknown, session?: string): Promise<string>;
};

/** Runs with sessions `mine`, in which things are put and asked for, and `other`. */
export const withTools = <T>(run: (bench: Bench) => Promise<T>): Promise<T> =>
  inArchive(async (archive) => {
    await createSession(archive, { id: "mine" });
    await createSession(archive, { id: "other" });
    const call: Bench["call"] = (name, input, session = "mine", pinned = {}) =>
      runTool(archive, name, input, { session, who: "agent" }, pinned);
    return run({
      archive,
      call,
      put: (content, request = {}) =>
        storeArtifact(
          archive,
          { session: "mine", ...request },
          typeof content === "string" ? Buffer.from(content) : content,
        ),
      text: async (name, input, session) => (await call(name, input, session)).text,
    });
  });

/** Inputs of every tool that reads, for one reference. */
export const READINGS: readonly (readonly [tool: string, input: (ref: string) => object])[] = [
  ["artifact_read", (ref) => ({ artifact_id: ref })],
  ["artifact_read", (ref) => ({ artifact_id: ref, encoding: "base64" })],
  ["artifact_grep", (ref) => ({ artifact_id: ref, pattern: "." })],
  ["artifact_jq", (ref) => ({ artifact_id: ref, expression: "." })],
  ["getArtifact", (ref) => ({ pointerOrName: ref })],
  ["read_file", (ref) => ({ path: ref })],
];
