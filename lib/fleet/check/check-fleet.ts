// Whether catalogue and bucket agree, both ways: what is named is there with its size, and what the catalogue has belongs together.
// What a node can make again from the rest is repaired; of what is lost the senders are asked for it when they send.
import { BLOBS } from "#lib/blobs/s3.ts";
import { forEach } from "#lib/blobs/for-each.ts";
import type { FleetCheck, FleetProblem } from "#lib/wire/fleet-check-schema.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import { catalogueProblems } from "./catalogue-problems.ts";
import { readObject, removeDamaged } from "./damaged-objects.ts";
import type { Fleet } from "../open-fleet.ts";
import { commitObjects, isUnnamed } from "../retention/named-objects.ts";
import { objectName, SEGMENTS } from "../stored-objects.ts";

/** Rows that are read at once. */
const PAGE = 5000;
const TEXTS = {
  "missing object": "It is not in the bucket.",
  "damaged object": "Its bytes in the bucket are not what its name says.",
} as const;

type Known = { readonly digest: string; readonly bytes: number };

type Compared = {
  known: number;
  readonly lost: (Known & Pick<SentObject, "kind">)[];
  /** In the bucket, and not noted. */
  readonly unnoted: SentObject[];
};

/** `repair` forgets objects that are not there, so that their senders send them again, and mends what the rest can mend. */
export async function checkFleet(
  fleet: Fleet,
  { repair = false, content = false }: { readonly repair?: boolean; readonly content?: boolean } = {},
): Promise<FleetCheck> {
  const { sql, ask } = fleet;
  const compared: Compared = { known: 0, lost: [], unnoted: [] };
  for (const [prefix, kind] of [
    [SEGMENTS, "segment"],
    [BLOBS, "blob"],
  ] as const)
    await compare(fleet, prefix, kind, compared);
  const { unnoted } = compared;
  const { lost, suspects } = await stillLost(fleet, compared.lost);
  const byDigest = new Map(unnoted.map((one) => [one.digest, one]));
  const names = await namesWithoutNote(fleet);
  suspects.push(...names.flatMap((digest) => byDigest.get(digest) ?? []));
  if (content) for (const kind of ["segment", "blob"] as const) suspects.push(...(await unreadable(fleet, kind)));
  const found = await readAll(fleet, suspects);
  const damaged = found.damaged.map(({ digest }) => digest);
  const gone = [...lost, ...found.missing].map(({ digest }) => digest);
  const absent = [...new Set([...gone, ...names.filter((digest) => !byDigest.has(digest))])];
  const missing = [...damaged, ...absent].toSorted();
  const families = await familiesOf(fleet, missing);
  const isDamaged = new Set(damaged);
  const problems: FleetProblem[] = missing.map((digest) => {
    const of = families.get(digest) ?? [];
    const kind = isDamaged.has(digest) ? "damaged object" : "missing object";
    const text = of.length === 0 ? `No family names it. ${TEXTS[kind]}` : `${TEXTS[kind]} Needed by ${of.join(", ")}.`;
    return { kind, ref: digest, text, isRepaired: repair };
  });
  for (const { digest } of found.misnoted)
    problems.push({
      ...{ kind: "size of object", ref: digest, isRepaired: repair },
      text: "Its bytes are what its name says, and another size is noted.",
    });
  if (repair) {
    await forEach([...found.damaged, ...found.misnoted], (one) => removeDamaged(fleet, one));
    if (absent.length > 0) await ask(() => sql`DELETE FROM objects WHERE digest = ANY(${absent}) AND going_at IS NULL`);
  }
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

/** What those objects are by their bytes. */
async function readAll(
  fleet: Fleet,
  suspects: readonly SentObject[],
): Promise<Readonly<Record<"damaged" | "missing" | "misnoted", SentObject[]>>> {
  const into: Record<"damaged" | "missing" | "misnoted", SentObject[]> = { damaged: [], missing: [], misnoted: [] };
  const each = new Map(suspects.map((one) => [one.digest, one])).values();
  await forEach([...each], async (one) => {
    const { state, bytes } = await readObject(fleet, one);
    if (state !== "sound") into[state].push(one);
    else if (bytes !== one.bytes) into.misnoted.push(one);
  });
  return into;
}

/** All that is noted, read: those that are not what their name says. */
async function unreadable(fleet: Fleet, kind: SentObject["kind"]): Promise<SentObject[]> {
  const found: SentObject[] = [];
  let some: SentObject[] = [];
  const look = async (): Promise<void> => {
    const { damaged } = await readAll(fleet, some);
    found.push(...damaged);
    some = [];
  };
  for await (const known of knownObjects(fleet, kind)) {
    some.push({ ...known, kind });
    if (some.length === PAGE) await look();
  }
  await look();
  return found;
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

/** What came, or went, while the lists were read is looked at again. `suspects` are there with another size. */
async function stillLost(
  { objects, sql, ask }: Fleet,
  looked: readonly SentObject[],
): Promise<{ lost: SentObject[]; suspects: SentObject[] }> {
  const sizes = new Map<string, number | null>();
  await forEach(looked, async (one) => void sizes.set(one.digest, (await objects.head(objectName(one)))?.size ?? null));
  const wrong = looked.filter(({ digest, bytes }) => sizes.get(digest) !== bytes);
  const known = new Set<string>();
  for (let from = 0; from < wrong.length; from += PAGE) {
    const digests = wrong.slice(from, from + PAGE).map(({ digest }) => digest);
    const rows = await ask(
      () => sql<{ digest: string }[]>`SELECT digest FROM objects WHERE digest = ANY(${digests}) AND going_at IS NULL`,
    );
    for (const { digest } of rows) known.add(digest);
  }
  const noted = wrong.filter(({ digest }) => known.has(digest));
  return {
    lost: noted.filter(({ digest }) => sizes.get(digest) === null),
    suspects: noted.filter(({ digest }) => sizes.get(digest) !== null),
  };
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

/** Digests that are named and not noted. */
async function namesWithoutNote({ sql, ask }: Fleet): Promise<string[]> {
  const rows = await ask(
    () => sql<{ digest: string }[]>`WITH ${commitObjects(sql)}
      SELECT digest FROM (SELECT digest FROM family_objects UNION SELECT digest FROM held_names WHERE digest IS NOT NULL
        UNION SELECT digest FROM commit_objects) n
      WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.digest = n.digest AND o.going_at IS NULL)`,
  );
  return rows.map(({ digest }) => digest);
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
