// An archive that is the cache of a node: what somebody keeps in it beside sessions is of the fleet, and another archive has none of it.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";

const OF_FLEET = {
  searches: "The searches of a node are of its fleet. The page Search has them.",
  budgets: "The budgets of a node are of its fleet. Use plimsoll fleet budget.",
  webhooks: "The webhooks of a node are of its fleet. Use plimsoll fleet webhook.",
} as const;
export type OfFleet = keyof typeof OF_FLEET;

export const refuseOfFleet = (what: OfFleet): never => fail("unsupported", OF_FLEET[what]);

const markOf = (dir: string): string => join(dir, "fleet", "node");

/** A server that starts says whether it is a node: commands know it also while no server runs. */
export function markNode(dir: string, isNode: boolean): void {
  const mark = markOf(dir);
  if (!isNode) return rmSync(mark, { force: true });
  // Nothing is written where it stands already: the disk may be full.
  if (existsSync(mark)) return;
  mkdirSync(dirname(mark), { recursive: true, mode: 0o700 });
  writeFileSync(mark, "", { mode: 0o600 });
}

export const isNodeArchive = (dir: string): boolean => existsSync(markOf(dir));
