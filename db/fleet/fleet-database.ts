// The database of a fleet: PostgreSQL, by its address. A schema grows by what is added: nodes of the version before go on while a
// newer one migrates, until a migration says that it needs another.
import postgres from "postgres";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import { makeConcurrentIndexes } from "./concurrent-indexes.ts";
import { FLEET_SCHEMA_1 } from "./fleet-schema-1.ts";
import { FLEET_SCHEMA_10 } from "./fleet-schema-10.ts";
import { FLEET_SCHEMA_11 } from "./fleet-schema-11.ts";
import { FLEET_SCHEMA_12 } from "./fleet-schema-12.ts";
import { FLEET_SCHEMA_13 } from "./fleet-schema-13.ts";
import { FLEET_SCHEMA_14 } from "./fleet-schema-14.ts";
import { FLEET_SCHEMA_15 } from "./fleet-schema-15.ts";
import { FLEET_SCHEMA_16 } from "./fleet-schema-16.ts";
import { FLEET_SCHEMA_17 } from "./fleet-schema-17.ts";
import { FLEET_SCHEMA_18 } from "./fleet-schema-18.ts";
import { FLEET_SCHEMA_19 } from "./fleet-schema-19.ts";
import { FLEET_SCHEMA_20 } from "./fleet-schema-20.ts";
import { FLEET_SCHEMA_21 } from "./fleet-schema-21.ts";
import { FLEET_SCHEMA_2 } from "./fleet-schema-2.ts";
import { FLEET_SCHEMA_3 } from "./fleet-schema-3.ts";
import { FLEET_SCHEMA_4 } from "./fleet-schema-4.ts";
import { FLEET_SCHEMA_5 } from "./fleet-schema-5.ts";
import { FLEET_SCHEMA_6 } from "./fleet-schema-6.ts";
import { FLEET_SCHEMA_7 } from "./fleet-schema-7.ts";
import { FLEET_SCHEMA_8 } from "./fleet-schema-8.ts";
import { FLEET_SCHEMA_9 } from "./fleet-schema-9.ts";
import type { FleetSql, FleetTransaction } from "./fleet-sql.ts";
import { UnderWay } from "./under-way.ts";

type FleetMigration = {
  readonly sql: string;
  /** The oldest schema whose nodes may go on beside this one. */
  readonly oldest: number;
};

export const FLEET_MIGRATIONS: readonly FleetMigration[] = [
  { sql: FLEET_SCHEMA_1, oldest: 1 },
  { sql: FLEET_SCHEMA_2, oldest: 1 },
  { sql: FLEET_SCHEMA_3, oldest: 1 },
  { sql: FLEET_SCHEMA_4, oldest: 1 },
  // An older node would name an object that a sweep is about to remove.
  { sql: FLEET_SCHEMA_5, oldest: 5 },
  { sql: FLEET_SCHEMA_6, oldest: 5 },
  { sql: FLEET_SCHEMA_7, oldest: 5 },
  { sql: FLEET_SCHEMA_8, oldest: 5 },
  { sql: FLEET_SCHEMA_9, oldest: 5 },
  { sql: FLEET_SCHEMA_10, oldest: 5 },
  { sql: FLEET_SCHEMA_11, oldest: 5 },
  { sql: FLEET_SCHEMA_12, oldest: 5 },
  { sql: FLEET_SCHEMA_13, oldest: 5 },
  { sql: FLEET_SCHEMA_14, oldest: 5 },
  { sql: FLEET_SCHEMA_15, oldest: 5 },
  { sql: FLEET_SCHEMA_16, oldest: 5 },
  { sql: FLEET_SCHEMA_17, oldest: 5 },
  { sql: FLEET_SCHEMA_18, oldest: 5 },
  { sql: FLEET_SCHEMA_19, oldest: 5 },
  { sql: FLEET_SCHEMA_20, oldest: 5 },
  { sql: FLEET_SCHEMA_21, oldest: 5 },
];

/** One connection asks at a time; the number is ours alone. */
const MIGRATION_LOCK = 7_164_519;

const CONNECTIONS = 8;

/** A connection that failed is tried again after so long. The driver waits up to 20 s, and so does each question meanwhile. */
const AGAIN_SECONDS = 0.5;

export function connectFleet(url: string): FleetSql {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    fail(
      "invalid",
      `"${withoutPassword(url)}" is not the address of a database. Give postgres://USER:PASSWORD@host/name.`,
    );
  return postgres(url, {
    max: CONNECTIONS,
    connect_timeout: 10,
    idle_timeout: 120,
    backoff: () => AGAIN_SECONDS,
    onnotice: () => undefined,
    // A plan that fits every word and every folder fits none: where it knows them, the database sees which are rare.
    connection: { application_name: "plimsoll", plan_cache_mode: "force_custom_plan" },
    // Counts and sums: none of ours comes near 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });
}

/** An address as it may be shown. */
export const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, "//").slice(0, 200);

/** Network failures as a sentence, and who is refused; what else the database refuses flies on. `label`: how it is named there. */
export async function askDatabase<T>(label: string, run: () => Promise<T>): Promise<T> {
  try {
    return await underWay.ask(run);
  } catch (error) {
    if (isAppError(error)) throw error;
    const code = codeOf(error);
    const database = label === "" ? "The fleet's database" : `The fleet's database ${label}`;
    const refusal = REFUSED[code];
    if (refusal !== undefined)
      throw new AppError("unsupported", `${database} ${refusal} Check PLIMSOLL_DATABASE.`, { cause: error });
    if (NUL.has(code))
      throw new AppError("invalid", "A NUL character is in the request. Leave it out.", { cause: error });
    if (!AWAY.test(code)) throw error;
    const text = `${database} does not answer (${code}). Lists, usage and search wait for it; cached sessions open.`;
    throw new AppError("timeout", text, { cause: error });
  }
}

/** PostgreSQL has no such character in its texts, nor in JSON. */
const NUL: ReadonlySet<string> = new Set(["22021", "22P05"]);

/** Of this process: which of its connections was cut is not always seen. */
const underWay = new UnderWay();

let isOutliving = false;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/**
 * On each new connection the driver asks for the types of arrays, and nobody hears of it when that fails (porsager/postgres
 * issue 1192): a node would end with a connection that was cut in this moment. Who waits for the connection is told by it.
 */
export function outliveCutConnections(): void {
  if (isOutliving) return;
  isOutliving = true;
  process.on("unhandledRejection", (error) => {
    if (!AWAY.test(codeOf(error))) throw error;
    console.error(`A connection to the fleet's database was cut (${codeOf(error)}).`);
  });
  // It writes to a connection that was cut a moment ago (issues 1154 and 1208), and whose question that was waits for ever: which one
  // it was cannot be seen, so all that are under way are told.
  process.on("uncaughtException", (error) => {
    if (!(error instanceof TypeError && /\bnextWrite\b/.test(error.stack ?? ""))) throw error;
    console.error("A connection to the fleet's database was cut.");
    const cut = Object.assign(new Error("The connection was cut."), { code: "CONNECTION_CLOSED" });
    underWay.end(cut);
  });
}

/** What its address has wrong. */
const REFUSED: Readonly<Record<string, string>> = {
  "28P01": "refuses this password.",
  "28000": "refuses this user.",
  "3D000": "is missing: its server has no database of this name.",
};

/** The network's own words, the driver's, and those of a server that ends, begins, or has no connection left. */
const AWAY = /^(E[A-Z]+|CONNECT|CONNECTION_|57P0[123]|53300|08)/;

export async function fleetVersion(sql: FleetSql | FleetTransaction): Promise<{ schema: number; oldest: number }> {
  const [found] = await sql<{ there: boolean }[]>`SELECT to_regclass('fleet_meta') IS NOT NULL AS there`;
  if (found?.there !== true) return { schema: 0, oldest: 0 };
  const rows = await sql<{ key: string; value: string }[]>`SELECT key, value FROM fleet_meta`;
  const of = (key: string): number => Number(rows.find((row) => row.key === key)?.value ?? 0);
  return { schema: of("schema"), oldest: of("oldest") };
}

/** Brings the schema up to date; one of several that ask at once does it. `note` hears what takes long. */
export async function migrateFleet(
  sql: FleetSql,
  note: (text: string) => void = () => undefined,
): Promise<{ readonly from: number; readonly to: number }> {
  const to = FLEET_MIGRATIONS.length;
  const done = await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const { schema: from } = await fleetVersion(tx);
    if (from > to) refuseNewer(from);
    if (from === 0) await tx`CREATE TABLE fleet_meta (key text PRIMARY KEY, value text NOT NULL)`;
    for (const { sql: text, oldest } of FLEET_MIGRATIONS.slice(from)) {
      await tx.unsafe(text);
      for (const [key, value] of [["oldest", oldest]] as const)
        await tx`INSERT INTO fleet_meta VALUES (${key}, ${String(value)}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    }
    await tx`INSERT INTO fleet_meta VALUES ('schema', ${String(to)}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    return { from, to };
  });
  // Of a new fleet they are there at once.
  await makeConcurrentIndexes(sql, done.from === 0 ? () => undefined : note);
  return done;
}

/** Fails where this version cannot work with the schema that is there. */
export async function requireSchema(sql: FleetSql): Promise<void> {
  const own = FLEET_MIGRATIONS.length;
  const { schema, oldest } = await fleetVersion(sql);
  if (schema === 0) fail("not_found", "This database has no fleet yet. Make one: plimsoll fleet init.");
  if (schema < own)
    fail("conflict", `The fleet's schema is ${schema}; this Plimsoll needs ${own}. Run plimsoll fleet migrate.`);
  if (oldest > own) refuseNewer(schema);
}

const refuseNewer = (schema: number): never =>
  fail(
    "unsupported",
    `The fleet's schema is ${schema}; this Plimsoll knows ${FLEET_MIGRATIONS.length}. Update Plimsoll.`,
  );
