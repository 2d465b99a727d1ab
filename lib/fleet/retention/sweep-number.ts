// Sweeps are counted, in the database and in the bucket. A copy of the database from before the last sweeps, or another fleet's, does not
// know what is in the bucket by now: it finds a higher number there, or a name that is not its own, and removes nothing.
import { randomUUID } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";

const MARKS = "sweeps/";
const DIGITS = 10;
/** The last marks stay; of a copy that is older still the number is lower all the same. */
const KEPT = 10;

const markOf = (number: number): string => `${MARKS}${String(number).padStart(DIGITS, "0")}`;

/** The number of this sweep. `adopts`: this database is the bucket's from now on. */
export async function claimSweep(fleet: Fleet, adopts = false): Promise<number> {
  const { sql, ask, objects } = fleet;
  const names: string[] = [];
  for await (const { name } of objects.list(MARKS)) names.push(name);
  const last = names.at(-1);
  const highest = last === undefined ? 0 : Number(last.slice(MARKS.length));
  const id = await fleetId(fleet);
  const current = await numberOf(fleet);
  const owner =
    last === undefined
      ? id
      : Buffer.from(await objects.get(last))
          .toString("utf8")
          .split(" ")[0]!;
  if (!adopts && (highest > current || owner !== id)) refuse(fleet, highest, current);
  const [row] = await ask(
    () => sql<{ number: number }[]>`INSERT INTO fleet_meta (key, value) VALUES ('sweep_number', ${String(highest + 1)})
      ON CONFLICT (key) DO UPDATE SET value = (greatest(fleet_meta.value::bigint, ${highest}) + 1)::text RETURNING value::bigint AS number`,
  );
  const { number } = row!;
  const text = `${id} ${randomUUID()}`;
  // "there" may be our own, whose answer was lost. "stored" may be over another's, in a bucket that keeps versions.
  await objects.put(markOf(number), Buffer.from(text));
  if (Buffer.from(await objects.get(markOf(number))).toString("utf8") !== text) refuse(fleet, number, current);
  for (const name of names.slice(0, -KEPT)) await objects.remove(name);
  return number;
}

const refuse = ({ objects }: Fleet, there: number, here: number): never =>
  fail(
    "conflict",
    `${objects.label} had sweep ${there}, of another fleet or of a newer copy of this database, which had ${here}. Nothing was removed. Is this database the bucket's own? plimsoll fleet sweep --adopt`,
  );

async function numberOf({ sql, ask }: Fleet): Promise<number> {
  const [row] = await ask(
    () => sql<{ n: number }[]>`SELECT value::bigint AS n FROM fleet_meta WHERE key = 'sweep_number'`,
  );
  return row?.n ?? 0;
}

/** Made once; a dump has it too. */
async function fleetId({ sql, ask }: Fleet): Promise<string> {
  await ask(() => sql`INSERT INTO fleet_meta (key, value) VALUES ('fleet_id', ${randomUUID()}) ON CONFLICT DO NOTHING`);
  const [row] = await ask(() => sql<{ value: string }[]>`SELECT value FROM fleet_meta WHERE key = 'fleet_id'`);
  return row!.value;
}
