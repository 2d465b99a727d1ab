// An archive as a node's cache of a fleet: windows and prices that somebody set are those that the fleet has, and neither lines nor
// weights are learned from the sessions that happen to be here.
import type { ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite, write } from "../base/write.ts";
import { keepCalibration, storedCalibration } from "./calibrated.ts";
import { learnsHere, setLearns } from "../import/observed-windows.ts";
import { keepModels, settleSessionsWrite } from "../settings/apply-models.ts";

/** The digest of the list that the fleet had when it was last taken over. */
const FOLLOWED = "models.followed";

export type FollowedModels = {
  readonly digest: string;
  /** As the fleet has it: what this version does not know of it is kept. */
  readonly overrides: readonly ModelOverride[];
};

/** Null where it never followed one: what is set here is its own. */
export const followedModels = (archive: Archive): string | null => readSetting(archive, FOLLOWED) as string | null;

/** The same while this archive is a cache; null where it was none meanwhile: what was set in it since is its own. */
export const followedHere = (archive: Archive): string | null => (learnsHere(archive) ? null : followedModels(archive));

function followModels(archive: Archive, batch: Batch, { digest, overrides }: FollowedModels): null {
  if (learnsHere(archive) && Object.keys(storedCalibration(archive)).length > 0)
    keepCalibration(archive, batch, { calibration: {} });
  setLearns(archive, false);
  keepModels(archive, batch, { overrides });
  putSetting(archive, FOLLOWED, digest);
  return null;
}

/** Works out the figures of these sessions by what holds now; the digest of that list. Where a later one came meanwhile, they may be of both. */
export async function settleFollowed(archive: Archive, sessions: readonly string[]): Promise<string | null> {
  const digest = followedHere(archive);
  for (let left = sessions; left.length > 0;) left = await write(archive, settleSessionsWrite, { sessions: left });
  return digest;
}

/** At a start of a server that is no node. What the fleet had set stays. */
export async function endFollowing(archive: Archive): Promise<void> {
  if (!learnsHere(archive)) await write(archive, endFollowingWrite, {});
}

function learnAgain(archive: Archive): null {
  setLearns(archive, true);
  return null;
}

export const followModelsWrite = defineWrite("followModels", followModels);
export const endFollowingWrite = defineWrite("endFollowing", learnAgain);
