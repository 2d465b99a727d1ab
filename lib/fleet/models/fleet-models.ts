// A node's part in the windows and prices of its fleet: it takes over what is set, looks for what that changes, and sets it for an admin.
import { setTimeout } from "node:timers/promises";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readModels, resumeModels, type SaveModelsOptions } from "#lib/archive/settings/model-settings.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { ModelsAnswer } from "#lib/wire/settings-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import type { DeletedBy } from "../people/audit.ts";
import { followDefaults } from "./fleet-defaults.ts";
import { FOLLOW_MS, followedLately } from "./followed-lately.ts";
import { markDueFamilies, sessionsLeft } from "./due-families.ts";
import { followModels, saveList } from "./model-list.ts";

/** After a failure a node looks again so much later (milliseconds). */
const AWAY_MS = 5000;

export type FleetModels = {
  /** What is set, with the models that this node has seen. While the database is away, as it was. */
  read(): Promise<ModelsAnswer>;
  /** `onSettled`: the sessions of this node have followed. */
  save(overrides: readonly ModelOverride[], by: DeletedBy, options?: SaveModelsOptions): Promise<ModelsAnswer>;
  /** Until it is closed. */
  run(): void;
  close(): Promise<void>;
};

export function fleetModels(fleet: Fleet, archive: Archive): FleetModels {
  const stop = new AbortController();
  let loop: Promise<void> = Promise.resolve();

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      let pause = FOLLOW_MS;
      try {
        await followModels(fleet, archive);
        if (await markDueFamilies(fleet)) pause = 0;
        await followDefaults(fleet, archive);
      } catch (error) {
        if (!isAppError(error)) console.error("Settings of the fleet were not taken over:", error);
        pause = AWAY_MS;
      }
      if (pause > 0) await setTimeout(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  let left = 0;
  const lately = followedLately(async () => {
    await followModels(fleet, archive);
    left = await sessionsLeft(fleet);
  });

  async function read(): Promise<ModelsAnswer> {
    await lately.follow();
    const here = await readModels(archive);
    return { ...here, left: Math.max(here.left, left) };
  }

  return {
    read,
    async save(overrides, by, { seen, onSettled = () => undefined } = {}) {
      // Sessions come from many machines, each with its own home folder.
      const short = overrides.find(({ project }) => project !== null && /^~(?=$|[/\\])/.test(project));
      if (short !== undefined)
        fail("invalid", `"${short.project!.slice(0, 80)}" is another folder on each machine. Write its whole path.`);
      await saveList(fleet, overrides, by, seen).finally(lately.forget);
      // It is saved by now, also where the database is slow to say what is left.
      const saved = await read();
      void resumeModels(archive).then(onSettled);
      return saved;
    },
    run() {
      loop = follow();
    },
    async close() {
      stop.abort();
      await loop;
    },
  };
}
