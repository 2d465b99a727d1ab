// Gives an agent the files of a session back: the bytes that were read, at their own place or in another folder, and never
// over a file that differs. First everything is compared, then written: what the agent looks for, the session's own file, last.
import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { createHash } from "node:crypto";
import { FORMATS } from "#lib/formats/index.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { createNewFile, digestOfFile, removeNewFile, type Created } from "#lib/sources/new-file.ts";
import { isInside } from "#lib/sources/source-handle.ts";
import type { RestoreAnswer, RestoreFile } from "#lib/wire/restore-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { deletions } from "../import/agent-cleanup.ts";
import { labelOfPath } from "../sources/source-roots.ts";
import { resumeOf } from "./resume-session.ts";
import { sessionFiles, type KeptFile, type SessionFiles } from "./session-files.ts";

export type RestoreOptions = {
  readonly session: string;
  /** Another folder than the files' own. */
  readonly to?: string | undefined;
  readonly version?: number | undefined;
  /** Folders that are read: below one of an agent that is here, missing folders are made. */
  readonly roots: readonly string[];
  readonly signal?: AbortSignal | undefined;
};

type Target = KeptFile & { readonly target: string; readonly within: string };

type Plan = SessionFiles & {
  readonly targets: readonly Target[];
  /** The time that all files get, where their own would have the agent delete them at once. */
  readonly now: number | null;
  readonly refusal: string | null;
};

/** What would be written, with the digest of each file. Reads all of it. */
export async function previewRestore(archive: Archive, options: RestoreOptions): Promise<RestoreAnswer> {
  const plan = await planOf(archive, options);
  const files: RestoreFile[] = [];
  for (const file of plan.targets) {
    const digest = file.digest ?? (await digestOf(file, options.signal));
    files.push(restoreFile(archive, plan, file, digest, await stateOf(file, digest, options.signal)));
  }
  return answerOf(plan, files, options);
}

/** Writes the files. All of them are there afterwards, or none that was not there before. */
export async function restoreSession(archive: Archive, options: RestoreOptions): Promise<RestoreAnswer> {
  const plan = await planOf(archive, options);
  if (plan.refusal !== null) fail("conflict", plan.refusal);
  const digests = new Map<string, string>();
  for (const file of plan.targets) {
    if (lstatSync(file.target, { throwIfNoEntry: false }) === undefined) continue;
    const digest = file.digest ?? (await digestOf(file, options.signal));
    if ((await stateOf(file, digest, options.signal)) === "differs") refuseDifferent(archive, file, options);
    digests.set(file.target, digest);
  }
  const created = await createAll(plan, options, digests);
  const files = plan.targets.map((file) => {
    const made = created.get(file.target);
    const digest = made?.digest ?? digests.get(file.target)!;
    return restoreFile(archive, plan, file, digest, made?.state === "created" ? "restored" : "same");
  });
  return answerOf(plan, files, options);
}

async function createAll(
  plan: Plan,
  { signal }: RestoreOptions,
  known: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Created>> {
  const created = new Map<string, Created>();
  try {
    for (const file of plan.targets.toReversed()) {
      signal?.throwIfAborted();
      if (known.has(file.target)) continue;
      created.set(
        file.target,
        await createNewFile({
          path: file.target,
          bytes: file.bytes(),
          within: file.within,
          makeFolders: true,
          mtimeMs: plan.now ?? file.mtimeMs,
          advice: "Choose another folder with --to.",
          ...(file.digest !== null && { digest: file.digest }),
          ...(signal !== undefined && { signal }),
        }),
      );
    }
    return created;
  } catch (error) {
    for (const one of created.values()) if (one.state === "created") await removeNewFile(one);
    throw error;
  }
}

async function planOf(archive: Archive, options: RestoreOptions): Promise<Plan> {
  const kept = await sessionFiles(archive, findSession(archive, options.session), options.version);
  const [own] = kept.files;
  const targets = kept.files.map((file) => targetOf(file, own!.path, options.to));
  const refusal = refusalOf(archive, targets[0]!, options);
  return { ...kept, targets, refusal, now: deletedAtOnce(archive, kept.format, targets[0]!) };
}

const SEPARATOR = /[\\/]/;

/** Below another folder files lie as they lay below that of the session's own file. */
function targetOf(file: KeptFile, ownPath: string, to: string | undefined): Target {
  const ownFolder = ownPath.split(SEPARATOR).slice(0, -1);
  const parts = file.path.split(SEPARATOR);
  const isBelow = ownFolder.every((name, at) => parts[at] === name) && parts.length > ownFolder.length;
  if (to === undefined) return { ...file, target: file.path, within: isBelow ? dirname(ownPath) : dirname(file.path) };
  const below = isBelow ? parts.slice(ownFolder.length) : ["outputs", parts.at(-1)!];
  return { ...file, target: join(resolve(to), ...below), within: resolve(to) };
}

function refusalOf(archive: Archive, own: Target, { to, roots }: RestoreOptions): string | null {
  const { target } = own;
  if (isInside(resolve(to ?? dirname(target)), resolve(archive.dir)))
    return `${labelOfPath(archive, dirname(target))} is Plimsoll's own folder. Choose another with --to.`;
  if (to !== undefined) return null;
  const folder = dirname(target);
  // An agent whose sessions were all deleted still has the folder of its settings.
  const isAgentHere = (root: string): boolean => isInside(target, root) && existsSync(dirname(root));
  if (isAbsolute(target) && (existsSync(folder) || roots.some(isAgentHere))) return null;
  return `Its folder does not exist on this machine: ${labelOfPath(archive, folder)}. Choose another with --to.`;
}

/** Now, where the agent's own cleanup would take the file away as soon as it starts; else null. */
function deletedAtOnce(archive: Archive, format: string, { target, mtimeMs }: Target): number | null {
  const at = deletions()({ path: target, format, status: "ok", mtimeMs })?.at ?? null;
  const now = archive.host.now();
  return at !== null && Date.parse(at) <= now ? now : null;
}

async function digestOf(file: KeptFile, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of file.bytes()) {
    signal?.throwIfAborted();
    hash.update(bytes);
  }
  return hash.digest("hex");
}

async function stateOf(
  { target, sizeBytes }: Target,
  digest: string,
  signal: AbortSignal | undefined,
): Promise<"new" | "same" | "differs"> {
  const there = await found(target, signal);
  if (there === null) return "new";
  return there !== "other" && there.sizeBytes === sizeBytes && there.digest === digest ? "same" : "differs";
}

/** What is no regular file is left as it is: it differs. */
async function found(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly digest: string; readonly sizeBytes: number } | "other" | null> {
  try {
    return await digestOfFile(path, signal);
  } catch (error) {
    if (isAppError(error)) return "other";
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return "other";
    throw error;
  }
}

function refuseDifferent(archive: Archive, file: Target, { to }: RestoreOptions): never {
  const advice = to === undefined ? "Choose another folder with --to." : "Choose another folder.";
  return fail(
    "conflict",
    `${labelOfPath(archive, file.target)} is there and differs from the stored bytes. Nothing was written. ${advice}`,
  );
}

function restoreFile(
  archive: Archive,
  plan: Plan,
  file: Target,
  digest: string,
  state: RestoreFile["state"],
): RestoreFile {
  return {
    path: file.target,
    label: labelOfPath(archive, file.target),
    role: file.role,
    sizeBytes: file.sizeBytes,
    digest,
    changedAt: iso(plan.now ?? (file.mtimeMs === null ? null : Math.round(file.mtimeMs))),
    state,
  };
}

function answerOf(plan: Plan, files: readonly RestoreFile[], { to }: RestoreOptions): RestoreAnswer {
  const { session, format, version, missing } = plan;
  const resume = resumeOf({ ...session, format, path: plan.targets[0]!.target, isElsewhere: to !== undefined });
  const agent = FORMATS.find(({ id }) => id === format)?.label ?? format;
  const differs = files.filter(({ state }) => state === "differs").length;
  const kept = `${differs} ${differs === 1 ? "file is" : "files are"} there and differ. Choose another folder with --to.`;
  return {
    session: session.id,
    title: session.title === "" ? "Untitled" : session.title,
    agent,
    version,
    files: [...files],
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    missing,
    notes: [
      ...(plan.now === null ? [] : [`Files get the present time: ${agent} deletes older ones at its next start.`]),
      ...(version === null ? [] : ["An earlier version is one file: sub-agents and outputs are not part of it."]),
      ...resume.notes,
    ],
    resume: resume.command,
    refusal: plan.refusal ?? (differs > 0 ? kept : null),
  };
}
