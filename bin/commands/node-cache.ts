// Commands over the archive of a node, which is a cache of its fleet.
import { isNodeArchive, refuseOfFleet, type OfFleet } from "#lib/fleet/node-archive.ts";
import { archiveDir } from "./archive-dir.ts";
import type { Words } from "./args.ts";

/** Fails where the archive is a node's: what it has of this is nothing, or what only this machine would have. */
export function requireMachine(words: Words, what: OfFleet): void {
  if (isNodeArchive(archiveDir(words))) refuseOfFleet(what);
}

/** Says beside a list that it is of a cache. */
export function noteCache(words: Words): void {
  if (isNodeArchive(archiveDir(words)))
    console.error("This archive is a node's cache: the fleet may have more than is listed.");
}
