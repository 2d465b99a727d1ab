import { createReadStream, statSync } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { heldSessionId } from "#lib/archive/artifacts/held-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { askServer, runningServer, sendBytesTo } from "#lib/http/running-server.ts";
import type { ServerAddress } from "#lib/http/server-address.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { heldSession, storedArtifact, type CreateSessionRequest, type StoredArtifact } from "#lib/wire/held-schema.ts";
import { systemHost } from "../system-host.ts";
import { archiveDir } from "./archive-dir.ts";
import { reading } from "./open-archive.ts";
import { bytes, plain, printJson } from "./print.ts";
import { textOption, type Run, type Words } from "./args.ts";

export const run: Run = async (words) => {
  const stored = await put(words);
  if (words.options["json"] === true) return printJson(stored);
  console.log(stored.pointer);
  console.error(
    `${bytes(stored.sizeBytes)} of ${plain(stored.contentType)} in session ${stored.sessionId}, ${stored.artifactId}.`,
  );
};

type Given = { readonly open: () => Readable; readonly sizeBytes: number | null; readonly name: string | undefined };

/** Under the lock; where a server holds it, by streaming the file to its byte door. */
async function put(words: Words): Promise<StoredArtifact> {
  const dir = archiveDir(words);
  const given = fileOf(words);
  let archive: Archive;
  try {
    archive = await openArchive({ dir, host: systemHost(), mode: "write" });
  } catch (error) {
    if (!isAppError(error) || error.code !== "conflict") throw error;
    const server = await runningServer(dir);
    if (server === null) throw error;
    return putOver(words, server, dir, given);
  }
  try {
    const made = madeFor(words);
    const session = made === null ? words.args[0]! : (await createSession(archive, made)).id;
    const type = textOption(words, "type");
    const description = textOption(words, "description");
    const input = {
      session,
      origin: "manual" as const,
      ...(given.name !== undefined && { name: given.name }),
      ...(type !== undefined && { contentType: type }),
      ...(description !== undefined && { description }),
    };
    return await storeArtifact(archive, input, given.open() as AsyncIterable<Uint8Array>);
  } finally {
    await closeArchive(archive);
  }
}

async function putOver(words: Words, server: ServerAddress, dir: string, given: Given): Promise<StoredArtifact> {
  const made = madeFor(words);
  const found = made === null ? null : await askServer(dir, "/api/sessions", made);
  const session =
    made === null
      ? await reading(words, async (archive) => heldSessionId(archive, words.args[0]!))
      : heldSession.parse(found?.answer).id;
  const query = new URLSearchParams();
  if (given.name !== undefined) query.set("name", given.name);
  for (const option of ["type", "description"]) {
    const value = textOption(words, option);
    if (value !== undefined) query.set(option, value);
  }
  const path = `/api/sessions/${encodeURIComponent(session)}/artifacts?${query}`;
  return storedArtifact.parse(await sendBytesTo(server, path, given.open(), given.sizeBytes));
}

/** The session that is to be made, or null for one that is there. */
function madeFor(words: Words): CreateSessionRequest | null {
  const [name] = words.args;
  if (name === "new") return {};
  return words.options["create"] === true ? { id: name! } : null;
}

function fileOf(words: Words): Given {
  const path = words.args[1]!;
  const name = textOption(words, "name");
  if (path === "-") return { open: () => process.stdin, sizeBytes: null, name };
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) fail("not_found", `There is no file "${path}".`);
  // A pipe or a device has no length: it is read to its end as it comes.
  const isFile = found.isFile();
  if (found.isDirectory()) fail("invalid", `"${path}" is a folder. Store its files one by one, or pack them first.`);
  const open = (): Readable => createReadStream(path, { highWaterMark: 256 * 1024 });
  return { open, sizeBytes: isFile ? found.size : null, name: name ?? basename(path) };
}
