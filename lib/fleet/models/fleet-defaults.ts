// What new sessions begin with, and from when running ones are warned of: an admin of the fleet sets it at one node, and all follow.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { leanPolicy, readPolicy, savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { requirePolicySeen, storedPolicy } from "#lib/archive/settings/policy-setting.ts";
import { readWarnAt, saveWarnAt } from "#lib/archive/settings/warn-setting.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { PolicyAnswer, PolicyRequest } from "#lib/wire/settings-schema.ts";
import type { WarnSetting } from "#lib/wire/status-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT, insertAudit, type DeletedBy } from "../people/audit.ts";
import { followedLately } from "./followed-lately.ts";

export type FleetDefaults = {
  /** What is set. While the database is away, as it was. */
  policy(): Promise<PolicyAnswer>;
  savePolicy(request: PolicyRequest, by: DeletedBy): Promise<PolicyAnswer>;
  warning(): Promise<WarnSetting>;
  saveWarning(setting: WarnSetting, by: DeletedBy): Promise<WarnSetting>;
};

type Policy = PolicyRequest["policy"];

/** As the database has it. Absent: nobody set it at any node. Null: somebody took it back. */
type Defaults = { readonly policy?: Policy; readonly warnAt?: number | null };

/** How often something was set at this node: what was read before is older. */
const changesAt = new WeakMap<Archive, number>();

export function fleetDefaults(fleet: Fleet, archive: Archive): FleetDefaults {
  const { follow, forget } = followedLately(() => followDefaults(fleet, archive));

  async function change(changed: (before: Defaults) => Defaults, by: DeletedBy): Promise<void> {
    try {
      await changeDefaults(fleet, changed, by);
      changesAt.set(archive, (changesAt.get(archive) ?? 0) + 1);
    } finally {
      // Whoever is refused looks at what holds now, too.
      forget();
    }
    await follow();
  }

  const warning = (): WarnSetting => ({ warnAt: readWarnAt(archive) });
  return {
    async policy() {
      await follow();
      return readPolicy(archive);
    },
    async savePolicy({ policy, seen }, by) {
      const lean = leanPolicy(policy);
      const merged = (before: Defaults): Defaults => {
        if (before.policy !== undefined && knownPolicy(before.policy) === undefined)
          fail("conflict", "The offload policy is of a newer version. Update this node, or save it at a newer one.");
        requirePolicySeen(before.policy ?? null, seen);
        return { ...before, policy: lean };
      };
      await change(merged, by);
      return readPolicy(archive);
    },
    async warning() {
      await follow();
      return warning();
    },
    async saveWarning({ warnAt }, by) {
      await change((before) => ({ ...before, warnAt }), by);
      return warning();
    },
  };
}

/** Takes over what is set. What an older version kept in the archive of a node becomes the fleet's, where that has none. */
export async function followDefaults(fleet: Fleet, archive: Archive): Promise<void> {
  const own = { policy: storedPolicy(archive), warnAt: readWarnAt(archive) };
  const changes = changesAt.get(archive);
  let now = await readDefaults(fleet);
  const isNew = (name: keyof Defaults): boolean => now[name] === undefined && own[name] !== null;
  if (isNew("policy") || isNew("warnAt"))
    now = await changeDefaults(
      fleet,
      (before) => ({
        ...(own.policy !== null && { policy: own.policy }),
        ...(own.warnAt !== null && { warnAt: own.warnAt }),
        ...before,
      }),
      { who: "node", address: fleet.node },
    );
  // Whoever set it at this node meanwhile has what is newer.
  if (changesAt.get(archive) !== changes) return;
  const { policy, warnAt } = now;
  if (policy !== undefined) await followPolicy(archive, policy, own.policy);
  if (warnAt !== undefined && warnAt !== own.warnAt) await saveWarnAt(archive, { warnAt });
}

async function followPolicy(archive: Archive, policy: Policy, own: ReturnType<typeof storedPolicy>): Promise<void> {
  const known = knownPolicy(policy);
  if (known === undefined) return sayNewer(archive, policy);
  if (JSON.stringify(known) !== JSON.stringify(own)) await savePolicy(archive, policy);
}

/** A policy as it is kept; undefined for one that a newer version set. */
function knownPolicy(policy: Policy): ReturnType<typeof leanPolicy> | undefined {
  try {
    return leanPolicy(policy);
  } catch (error) {
    if (!isAppError(error) || error.code !== "invalid") throw error;
    return undefined;
  }
}

/** What each node said last of a policy that it does not know: each is said once. */
const saidNewer = new WeakMap<Archive, string>();

function sayNewer(archive: Archive, policy: Policy): void {
  const text = JSON.stringify(policy).slice(0, 200);
  if (saidNewer.get(archive) === text) return;
  saidNewer.set(archive, text);
  console.error(`The fleet's offload policy is of a newer version: ${text}. This node keeps its last. Update it.`);
}

async function readDefaults({ sql, ask }: Fleet): Promise<Defaults> {
  const [row] = await ask(() => sql<{ defaults: string }[]>`SELECT defaults FROM model_settings`);
  return JSON.parse(row!.defaults) as Defaults;
}

const changeDefaults = (
  { sql, ask }: Fleet,
  changed: (before: Defaults) => Defaults,
  { who, address }: DeletedBy,
): Promise<Defaults> =>
  ask(() =>
    sql.begin(async (tx) => {
      const [row] = await tx<{ defaults: string }[]>`SELECT defaults FROM model_settings FOR UPDATE`;
      const before = JSON.parse(row!.defaults) as Defaults;
      const now = changed(before);
      const text = JSON.stringify(now);
      if (text === row!.defaults) return now;
      await tx`UPDATE model_settings SET defaults = ${text}`;
      const detail = changeText(before, now);
      await insertAudit(tx, { who, address, action: "settings", project: EVERY_PROJECT, session: null, detail });
      return now;
    }),
  );

function changeText(before: Defaults, now: Defaults): string {
  const names = { policy: "offload policy", warnAt: "warn at" } as const;
  return (Object.keys(names) as (keyof Defaults)[])
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map((name) => `${names[name]}: ${now[name] == null ? "removed" : JSON.stringify(now[name])}`)
    .join("; ");
}
