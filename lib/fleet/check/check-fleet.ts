// Whether catalogue and bucket agree, both ways: what is named is there with its size, and what the catalogue has belongs together.
// What a node can make again from the rest is repaired; of what is lost the senders are asked for it when they send.
import { BLOBS } from "#lib/blobs/s3.ts";
import type { FleetCheck, FleetProblem } from "#lib/wire/fleet-check-schema.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import { catalogueProblems } from "./catalogue-problems.ts";
import type { Fleet } from "../open-fleet.ts";
import { commitObjects, isUnnamed } from "../retention/named-objects.ts";
import { objectName, SEGMENTS } from "../stored-objects.ts";

/** Rows that are read at once. */
const PAGE = 5000;
/** Questions to the bucket under way at once. */
const AT_ONCE = 16;

type Known = { readonly digest: string; readonly bytes: number };

type Compared = {
  known: number;
  readonly lost: (Known & Pick<SentObject, "kind">)[];
  /** In the bucket, and not noted. */
  readonly unnoted: SentObject[];
};

/** `repair` forgets objects that are not there, so that their senders send them again, and mends what the rest can mend. */
export async function checkFleet(fleet: Fleet, repair = false): Promise<FleetCheck> {
  const { sql, ask } = fleet;
  const compared: Compared = { known: 0, lost: [], unnoted: [] };
  for (const [prefix, kind] of [
    [SEGMENTS, "segment"],
    [BLOBS, "blob"],
  ] as const)
    await compare(fleet, prefix, kind, compared);
  const { unnoted } = compared;
  const lost = await stillLost(fleet, compared.lost);
  const unnotedNames = await namesWithoutNote(fleet, new Set(unnoted.map(({ digest }) => digest)));
  const missing = [...lost.map(({ digest }) => digest), ...unnotedNames].toSorted();
  const families = await familiesOf(fleet, missing);
  const problems: FleetProblem[] = missing.map((digest) => {
    const of = families.get(digest) ?? [];
    const text =
      of.length === 0 ? "An object that no family names is not in the bucket." : `Needed by ${of.join(", ")}.`;
    return { kind: "missing object", ref: digest, text, isRepaired: repair };
  });
  if (repair && missing.length > 0) await ask(() => sql`DELETE FROM objects WHERE digest = ANY(${missing})`);
  problems.push(...(await catalogueProblems(fleet, repair)));
  const failed = await ask(
    () =>
      sql<FleetCheck["failed"][number][]>`SELECT project, id, reason FROM commits WHERE state = 'failed' ORDER BY 1, 2`,
  );
  return {
    named: compared.known,
    missing: missing.map((digest) => ({ digest, families: families.get(digest) ?? [] })),
    unnamed: (await unnamedOf(fleet)) + (await unnamedAmong(fleet, unnoted)),
    failed: failed.map((one) => ({ ...one })),
    problems,
  };
}

/** Both lists have the order of the digests: neither is held as a whole. */
async function compare(fleet: Fleet, prefix: string, kind: SentObject["kind"], into: Compared): Promise<void> {
  const listed = fleet.objects.list(prefix)[Symbol.asyncIterator]();
  const nextListed = async (): Promise<SentObject | null> => {
    for (;;) {
      const { value, done } = await listed.next();
      if (done === true) return null;
      const digest = value.name.slice(value.name.lastIndexOf("/") + 1);
      if (/^[0-9a-f]{64}$/.test(digest)) return { digest, kind, bytes: value.size };
    }
  };
  let there = await nextListed();
  for await (const known of knownObjects(fleet, kind)) {
    into.known++;
    while (there !== null && there.digest < known.digest) {
      into.unnoted.push(there);
      there = await nextListed();
    }
    const size = there?.digest === known.digest ? there.bytes : null;
    if (size !== null) there = await nextListed();
    if (size !== known.bytes) into.lost.push({ ...known, kind });
  }
  for (; there !== null; there = await nextListed()) into.unnoted.push(there);
}

/** What came, or went, while the lists were read is looked at again. */
async function stillLost({ objects, sql, ask }: Fleet, suspects: readonly SentObject[]): Promise<SentObject[]> {
  const lost: SentObject[] = [];
  const queue = [...suspects];
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, queue.length) }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        if ((await objects.head(objectName(next)))?.size !== next.bytes) lost.push(next);
    }),
  );
  const known = new Set<string>();
  for (let from = 0; from < lost.length; from += PAGE) {
    const digests = lost.slice(from, from + PAGE).map(({ digest }) => digest);
    const rows = await ask(
      () => sql<{ digest: string }[]>`SELECT digest FROM objects WHERE digest = ANY(${digests}) AND going_at IS NULL`,
    );
    for (const { digest } of rows) known.add(digest);
  }
  return lost.filter(({ digest }) => known.has(digest));
}

/** What a sweep is removing is not known any more. */
async function* knownObjects({ sql, ask }: Fleet, kind: string): AsyncGenerator<Known> {
  for (let after = ""; ;) {
    const rows = await ask(
      () => sql<
        Known[]
      >`SELECT digest, bytes FROM objects WHERE kind = ${kind} AND digest > ${after} COLLATE "C" AND going_at IS NULL
        ORDER BY digest COLLATE "C" LIMIT ${PAGE}`,
    );
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.digest;
  }
}

/** Digests that are named and not noted, and that the bucket does not have. */
async function namesWithoutNote({ sql, ask }: Fleet, inBucket: ReadonlySet<string>): Promise<string[]> {
  const rows = await ask(
    () => sql<{ digest: string }[]>`WITH ${commitObjects(sql)}
      SELECT digest FROM (SELECT digest FROM family_objects UNION SELECT digest FROM held_names WHERE digest IS NOT NULL
        UNION SELECT digest FROM commit_objects) n
      WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.digest = n.digest AND o.going_at IS NULL)`,
  );
  return rows.map(({ digest }) => digest).filter((digest) => !inBucket.has(digest));
}

async function familiesOf({ sql, ask }: Fleet, digests: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  if (digests.length === 0) return new Map();
  const rows = await ask(
    () => sql<
      { digest: string; families: string[] }[]
    >`SELECT digest, array_agg(project || '/' || family ORDER BY 1) AS families
      FROM family_objects WHERE digest = ANY(${[...digests]}) GROUP BY digest`,
  );
  return new Map(rows.map(({ digest, families }) => [digest, families]));
}

/** Objects that a sweep removes when their time is over. */
async function unnamedOf({ sql, ask }: Fleet): Promise<number> {
  const [row] = await ask(
    () =>
      sql<
        { n: number }[]
      >`WITH ${commitObjects(sql)} SELECT count(*) AS n FROM objects o WHERE ${isUnnamed(sql, "o.digest")}`,
  );
  return row!.n;
}

async function unnamedAmong({ sql, ask }: Fleet, objects: readonly SentObject[]): Promise<number> {
  let count = 0;
  for (let from = 0; from < objects.length; from += PAGE) {
    const digests = objects.slice(from, from + PAGE).map(({ digest }) => digest);
    const [row] = await ask(
      () => sql<
        { n: number }[]
      >`WITH ${commitObjects(sql)} SELECT count(*) AS n FROM unnest(${digests}::text[]) o (digest)
        WHERE ${isUnnamed(sql, "o.digest")} AND NOT EXISTS (SELECT 1 FROM objects k WHERE k.digest = o.digest)`,
    );
    count += row!.n;
  }
  return count;
}
