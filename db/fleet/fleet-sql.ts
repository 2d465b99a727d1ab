// The database of a fleet as its driver hands it out: all numbers are numbers.
import type postgres from "postgres";

export type FleetSql = postgres.Sql<{ bigint: number }>;
export type FleetTransaction = postgres.TransactionSql<{ bigint: number }>;
