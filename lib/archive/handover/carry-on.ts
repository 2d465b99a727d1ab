// Writing the new file, at a person's word: a file that was not there, whole or not at all; and taking it back for as long as its
// bytes are what was written.
import { randomUUID } from "node:crypto";
import { rmdir, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { createNewFile, digestOfFile, removeNewFile, type Created } from "#lib/sources/new-file.ts";
import type { CarryOnAnswer, CarryOnRequest, TakeBackAnswer } from "#lib/wire/carry-on-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { isBundled, pathBefore } from "../base/bundle-path.ts";
import { write } from "../base/write.ts";
import type { CompactOptions } from "../memory/compact.ts";
import {
  addContinuationWrite,
  dropContinuationWrite,
  handoverRow,
  requireHandover,
  takeBackWrite,
} from "./handover-rows.ts";
import { importedBy } from "./imported-by.ts";
import { planHandover, resumeCommands, type Handover } from "./plan-handover.ts";
import { shellCommands } from "./shell-words.ts";

const ADVICE = "Name another folder with --to.";

export async function carryOn(
  archive: Archive,
  name: string,
  { to, ...request }: CarryOnRequest,
  options: CompactOptions = {},
): Promise<CarryOnAnswer> {
  const handover = await planHandover(archive, name, request, options);
  const { plan, origin, session } = handover;
  if (plan.status === "nothing") return { plan, written: null };
  const path = to === undefined ? plan.path : join(folderOf(to), origin.continuation.fileName(session));
  if (path === null)
    fail(
      "invalid",
      `${origin.path} does not lie in a folder of ${origin.label}, so where it looks is unknown. ${ADVICE}`,
    );
  const id = `con_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  let known: Pick<Created, "path" | "digest"> | null = null;
  try {
    await createNewFile({
      path,
      bytes: bytesOf(handover),
      ifThere: "refuse",
      makeFolders: to === undefined,
      advice: ADVICE,
      ...(options.signal !== undefined && { signal: options.signal }),
      // Nobody could take back a file that no row knows of: a kill may leave a row without its file, and no file without its row.
      beforeName: async (created) => {
        const commands = resumeCommands(origin.continuation, session.id, created.path, to === undefined);
        await write(archive, addContinuationWrite, {
          id,
          origin: `${origin.format}:${origin.nativeId}`,
          native_id: `${origin.format}:${session.id}`,
          path: created.path,
          size: created.sizeBytes,
          digest: created.digest,
          mode: plan.mode,
          at_seq: plan.at,
          tokens_now: plan.tokens.now,
          tokens_next: plan.tokens.next,
          resume: shellCommands(commands, origin.cwd),
          written_at: session.at,
        });
        known = created;
      },
    });
  } catch (error) {
    if (known !== null) {
      // What its agent added meanwhile stays.
      await removeNewFile(known);
      await write(archive, dropContinuationWrite, { id });
    }
    throw error;
  }
  return { plan, written: handoverRow(archive, requireHandover(archive, id)) };
}

function folderOf(to: string): string {
  if (!isAbsolute(to))
    fail("invalid", `The folder "${to.slice(0, 200)}" is not an absolute path. Give the whole path.`);
  return to;
}

function* bytesOf({ lines }: Handover): Generator<Uint8Array> {
  for (const { text } of lines()) yield Buffer.from(`${text}\n`);
}

/** Removes the file where its bytes are what was written; says why not otherwise. Again, it answers the same. */
export async function takeBack(archive: Archive, name: string): Promise<TakeBackAnswer> {
  const row = requireHandover(archive, name);
  const answer = (status: TakeBackAnswer["status"]): TakeBackAnswer => ({
    status,
    row: handoverRow(archive, requireHandover(archive, row.id)),
  });
  if (row.taken_back_at !== null) return answer("already gone");
  if (isBundled(row.path))
    fail("conflict", `${pathBefore(row.path)} was written on another machine. Take it back there.`);
  const found = await stat(row.path).catch(() => null);
  if (found === null) {
    await write(archive, takeBackWrite, { id: row.id });
    return answer("already gone");
  }
  const importer = await importedBy(archive, row);
  if (importer !== null)
    fail(
      "conflict",
      `${importer.label} has imported ${row.path}: ${importer.sessionId} is in ${importer.database}. It stays. Delete the session in ${importer.label} if it should go.`,
    );
  if (!(await removeNewFile(row))) {
    const there = await digestOfFile(row.path);
    fail(
      "conflict",
      `The agent has written to ${row.path}: ${there?.sizeBytes ?? 0} bytes, ${row.size} were written. It stays. Delete it yourself if it should go.`,
    );
  }
  // A folder that was made for it alone goes too; one that has anything else stays.
  if (basename(dirname(row.path)) === nativeNameOf(row)) await rmdir(dirname(row.path)).catch(() => undefined);
  await write(archive, takeBackWrite, { id: row.id });
  return answer("removed");
}

/** The new session's name without its format. */
const nativeNameOf = ({ native_id: id }: { readonly native_id: string }): string => id.slice(id.indexOf(":") + 1);
