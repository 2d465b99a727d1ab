// A secret that a person typed for one address: in a file of its own that only its owner reads, beside the address that it was
// given for. A key whose address is not the one that is set is no key, whatever else went wrong.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile, syncFolder } from "#lib/agent-dirs/private-files.ts";
import { fail } from "#lib/kernel/errors.ts";
import { KEY_CHARS } from "#lib/wire/summarizer-schema.ts";
import type { Archive } from "../base/archive-type.ts";

const keyFile = z.object({ baseUrl: z.string(), key: z.string().min(1).max(KEY_CHARS) });

/** The file in the archive's folder. */
export type KeyName = "summarizer.key" | "sending.key";

/** The key for an address, or null when there is none for it. */
export function readKey(archive: Archive, name: KeyName, baseUrl: string): string | null {
  let text: string;
  try {
    text = readPlain(join(archive.dir, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    return fail("invalid", `${name} in the archive folder cannot be read (${code ?? "it is not a file"}).`, error);
  }
  const kept = parsed(text);
  return kept?.baseUrl === baseUrl ? kept.key : null;
}

export async function writeKey(archive: Archive, name: KeyName, baseUrl: string, key: string): Promise<void> {
  await replaceFile(join(archive.dir, name), `${JSON.stringify({ baseUrl, key })}\n`);
}

export async function removeKey(archive: Archive, name: KeyName): Promise<void> {
  await rm(join(archive.dir, name), { force: true });
  await syncFolder(archive.dir);
}
/** A small regular file, and no link. */
function readPlain(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= 4 * KEY_CHARS ? readFileSync(fd, "utf8") : "";
  } finally {
    closeSync(fd);
  }
}

/** Null for a file that somebody else wrote, or that a crash of another program left in pieces. */
function parsed(text: string): z.infer<typeof keyFile> | null {
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
