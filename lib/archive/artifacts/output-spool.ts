// Outputs that agents' hooks took out of a context: each is a file in `spool/`, durable before the model is given its pointer. A hook
// opens no archive and asks no server, which would take it longer than the tool. Whoever may write takes the files in: the server as
// soon as they come, and each command before it reads.
import { readdirSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { scalar } from "#db/statement.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { spooledOutput, type SpooledOutput } from "#lib/wire/spooled-output-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { createSession } from "./create-session.ts";
import { recordOutput } from "./record-output.ts";
import { storeArtifact } from "./store-artifact.ts";

export const spoolFolder = (dir: string): string => join(dir, "spool");

const ENDING = ".output";
/** What a hook writes before it has that ending; one that was killed leaves it. The model was given no pointer to it. */
const DRAFT = ".draft";
/** No hook runs so long. */
const DRAFT_MS = 60 * 60_000;

/** Names of the files that wait, oldest first. */
export const spooledFiles = (dir: string): string[] => namesIn(dir).filter(isOutput);

const isOutput = (name: string): boolean => name.endsWith(ENDING);

function namesIn(dir: string): string[] {
  try {
    return readdirSync(spoolFolder(dir)).toSorted();
  } catch {
    // No hook was ever installed for this archive.
    return [];
  }
}

const running = perArchive((): { last: Promise<unknown> } => ({ last: Promise.resolve() }));

/** Takes in what waits; how many outputs that were. One that cannot be read is kept, under another ending. */
export function takeSpooled(archive: Archive): Promise<number> {
  const state = running(archive);
  const next = state.last.then(() => takeAll(archive));
  state.last = next.catch(() => undefined);
  return next;
}

async function takeAll(archive: Archive): Promise<number> {
  let taken = 0;
  const names = namesIn(archive.dir);
  for (const name of names)
    if (isOldDraft(archive, name)) await rm(join(spoolFolder(archive.dir), name), { force: true });
  for (const name of names.filter(isOutput)) {
    const path = join(spoolFolder(archive.dir), name);
    try {
      await record(archive, await readFile(path));
      await rm(path, { force: true });
      taken++;
    } catch (error) {
      // A full disk, an archive that is being closed, or nodes that do not answer: it waits for the next time.
      if (!isFinal(error)) throw error;
      await rename(path, `${path}.refused`);
    }
  }
  return taken;
}

/** Its name begins with the time. */
const isOldDraft = ({ host }: Archive, name: string): boolean =>
  name.endsWith(DRAFT) && host.now() - Number.parseInt(name, 10) > DRAFT_MS;

/** The same file would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof SyntaxError || (isAppError(error) && !error.isPassing && error.code !== "timeout");

async function record(archive: Archive, file: Buffer): Promise<void> {
  const end = file.indexOf(10);
  const said = spooledOutput.safeParse(JSON.parse(file.toString("utf8", 0, end)));
  if (!said.success) throw new SyntaxError(`Not an output of a hook: ${said.error.message}`);
  const { agent, tool, call, input, isError, isReplaced, policy, pointer } = said.data;
  // Taken in before, by a process that ended before it removed the file.
  if (scalar(archive.sqlite, "artifacts.pk", "FROM artifacts WHERE pointer = ?").get(pointer) !== undefined) return;
  const bytes = file.subarray(end + 1);
  const { id } = await createSession(archive, sessionOf(said.data));
  const about = { session: id, toolName: tool, ...(call !== null && { toolCallId: call }) };
  // No envelope stands for what the model saw itself.
  if (!isReplaced)
    await storeArtifact(
      archive,
      { ...about, pointer, origin: "auto", description: `${agent}: the tool failed` },
      bytes,
    );
  else {
    const { artifact, decision } = await recordOutput(
      archive,
      { ...about, input, isError, decided: { policy, pointer } },
      bytes,
    );
    if (artifact === null) fail("too_large", `The output behind ${pointer} is not stored: ${decision.reason}`);
  }
}

/** The agent's own session shows them too, where its file is imported. */
export const hookSessionName = (agent: string, session: string): string => `hook/${agent}/${session}`;

/** The session that holds the outputs of a session of an agent. */
function sessionOf({ agent, session }: SpooledOutput) {
  return { id: hookSessionName(agent, session), title: `Outputs of ${agent} ${session.slice(0, 8)}`, agentName: agent };
}
