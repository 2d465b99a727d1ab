// Windows and prices that an admin of the fleet set: the database has them, nodes follow. Views are written by what a node had taken over
// when it read them; where that is not what is set any more, they are due again.
import { hash } from "node:crypto";
import { DUE_VIEWS, VIEWS } from "#lib/archive/exports/views-version.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { overridesOf } from "#lib/archive/base/model-overrides.ts";
import { write } from "#lib/archive/base/write.ts";
import { resumeModels } from "#lib/archive/settings/model-settings.ts";
import { followedHere, followedModels, followModelsWrite, settleFollowed } from "#lib/archive/load/followed-models.ts";
import { requireSeen } from "#lib/kernel/require-seen.ts";
import { OVERRIDE_FIELDS, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT, insertAudit, type DeletedBy } from "../people/audit.ts";

/** Held for what is set: alone by who changes it, together by those who write views. The number is ours alone. */
const MODELS_LOCK = 7_164_522;

type List = readonly ModelOverride[];

/**
 * The version of views that a transaction writes, read by the list of this digest. The list stays until it ends. Taken before any lock
 * of a family: who marks families as due waits for them.
 */
export async function viewsBy(tx: FleetTransaction, digest: string | null): Promise<number> {
  await tx`SELECT pg_advisory_xact_lock_shared(${MODELS_LOCK})`;
  const [row] = await tx<{ digest: string }[]>`SELECT digest FROM model_settings`;
  return row!.digest === digest ? VIEWS : DUE_VIEWS;
}

/** Puts a list in place of what is set; views that hang on it are looked for from then on. */
export const saveList = (fleet: Fleet, list: List, by: DeletedBy, seen?: List): Promise<void> =>
  change(
    fleet,
    (before) => {
      requireSeen("Windows and prices", before, seen);
      return list;
    },
    by,
  );

async function change(
  { sql, ask }: Fleet,
  changed: (before: List) => List,
  { who, address }: DeletedBy,
): Promise<void> {
  await ask(() =>
    sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${MODELS_LOCK})`;
      const [row] = await tx<
        { overrides: string; was: string }[]
      >`SELECT overrides, was FROM model_settings FOR UPDATE`;
      const before = JSON.parse(row!.overrides) as List;
      const list = changed(before);
      const text = JSON.stringify(list);
      if (text === row!.overrides) return;
      const was = JSON.stringify([...(JSON.parse(row!.was) as List[]), before]);
      await tx`UPDATE model_settings SET overrides = ${text}, digest = ${hash("sha256", text).slice(0, 16)}, was = ${was},
        next_project = '', next_family = ''`;
      const detail = changeText(before, list);
      await insertAudit(tx, { who, address, action: "models", project: EVERY_PROJECT, session: null, detail });
    }),
  );
}

/** What an admin did, as the audit log has it. */
function changeText(before: List, now: List): string {
  const had = new Map(before.map((one) => [nameOf(one), numbersOf(one)]));
  const set = now.filter((one) => had.get(nameOf(one)) !== numbersOf(one));
  const kept = new Set(now.map(nameOf));
  return [
    ...set.map((one) => `${nameOf(one)}: ${numbersOf(one)}`),
    ...[...had.keys()].filter((name) => !kept.has(name)).map((name) => `${name}: removed`),
  ].join("; ");
}

const nameOf = ({ match, project }: ModelOverride): string => (project === null ? match : `${match} in ${project}`);
const numbersOf = (one: ModelOverride): string =>
  OVERRIDE_FIELDS.flatMap((field) => (one[field] === null ? [] : [`${field} ${one[field]}`])).join(", ");

/** What an older version kept in the archive of a node becomes the fleet's, where that has nothing of the kind. */
function adopt(fleet: Fleet, own: List): Promise<void> {
  const merged = (before: List): List => {
    const known = new Set(before.map(nameOf));
    return [...before, ...own.filter((one) => !known.has(nameOf(one)))];
  };
  return change(fleet, merged, { who: "node", address: fleet.node });
}

/** Takes over what is set. Sessions here follow in the background. */
export async function followModels(fleet: Fleet, archive: Archive): Promise<void> {
  const own = followedModels(archive) === null ? overridesOf(archive) : [];
  if (own.length > 0) await adopt(fleet, own);
  const known = followedHere(archive);
  const [row] = await fleet.ask(
    () => fleet.sql<{ digest: string; overrides: string | null }[]>`SELECT digest,
      CASE WHEN digest IS DISTINCT FROM ${known} THEN overrides END AS overrides FROM model_settings`,
  );
  const { digest, overrides } = row!;
  if (overrides === null) return;
  await write(archive, followModelsWrite, { digest, overrides: JSON.parse(overrides) as List });
  void resumeModels(archive);
}

/** The same for these sessions at once. What it resolves with is for `viewsBy`. */
export async function applyModels(fleet: Fleet, archive: Archive, sessions: readonly string[]): Promise<string | null> {
  await followModels(fleet, archive);
  return settleFollowed(archive, sessions);
}
