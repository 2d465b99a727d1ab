// What can be said of an archive whose database cannot be opened: its blobs and registries stand for themselves. And how a
// new database comes to its path.
import { renameSync } from "node:fs";
import { join } from "node:path";
import { openBlobs } from "#lib/blobs/index.ts";
import { readRegistry } from "#lib/blobs/session-registry.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import { registryIds } from "../base/registry-ids.ts";

const LISTED = 1000;

/** Blobs against their names and registry lines against their checksums. Nothing is changed. */
export async function checkFiles(dir: string, reason: unknown): Promise<CheckAnswer> {
  const message = reason instanceof Error ? reason.message : String(reason);
  const problems: CheckAnswer["problems"] = [{ kind: "database", ref: "archive.db", text: message }];
  const note = (kind: string, ref: string, text: string): void => {
    if (problems.length < LISTED) problems.push({ kind, ref, text });
  };
  const counts = { checked: 0, corrupt: 0, missing: 0, orphan: 0 };
  const blobs = openBlobs(dir);
  try {
    for await (const digest of blobs.list()) {
      counts.checked++;
      if ((await blobs.verify(digest)) === "ok") continue;
      counts.corrupt++;
      note("blob", digest, "The bytes do not match their digest, so they are not served.");
    }
  } finally {
    blobs.close();
  }
  const registry = { lines: 0, bad: 0 };
  for (const id of registryIds({ dir }))
    for await (const { value, line } of readRegistry(dir, id)) {
      registry.lines++;
      if (value !== null) continue;
      registry.bad++;
      note("registry", `sessions/${id}/registry.jsonl:${line}`, "This line cannot be read. The others are intact.");
    }
  return { ok: false, blobs: counts, rows: { checked: 0, bad: 0 }, registry, rebuilt: null, problems };
}

/** Moves a database that cannot be opened out of the way, with what belongs to it; its new name. Nothing is deleted. */
export function moveDatabaseAside(dir: string, now: number): string {
  const name = `archive.db.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  for (const end of ["-wal", "-shm", ""]) {
    try {
      renameSync(join(dir, `archive.db${end}`), join(dir, `${name}${end}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return name;
}
