// `PUT /api/upload?name=…`: a file dropped on the page. It is streamed to a folder of its own in the archive, so
// that its name, from which a format may take the session's id, stays as it is; then it is imported from there.
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { piecesOf } from "./body.ts";

/** Writes the body of a request below `dir`/uploads; the path of the whole file. */
export async function receiveFile(
  dir: string,
  request: IncomingMessage,
  name: string,
  limitBytes: number,
): Promise<string> {
  const safe = safeName(name);
  const folder = join(dir, "uploads", randomUUID().slice(0, 8));
  await mkdir(join(dir, "uploads"), { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  const partial = join(folder, ".part");
  try {
    const file = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(atMost(limitBytes, request), file);
    await rename(partial, join(folder, safe));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (isAppError(error)) throw error;
    return fail("invalid", `"${safe}" did not arrive completely, so it was not imported. Drop it again.`, error);
  }
  return join(folder, safe);
}

/** A file name that means the same on every system, in one folder. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const clean = last.replace(/[^\p{L}\p{N}._ @+-]/gu, "_").replace(/^[. ]+|[. ]+$/g, "");
  if (clean === "") fail("invalid", "The file has no name. Add one: /api/upload?name=session.jsonl.");
  // 200 bytes: file systems end at 255, and some characters take four.
  let kept = clean;
  while (Buffer.byteLength(kept) > 200) kept = kept.slice(1);
  return kept;
}

async function* atMost(limitBytes: number, request: IncomingMessage): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of piecesOf(request)) {
    seen += chunk.length;
    if (seen > limitBytes) {
      fail("too_large", `A dropped file may have at most ${limitBytes} bytes. Import it by its path instead.`);
    }
    yield chunk;
  }
}
