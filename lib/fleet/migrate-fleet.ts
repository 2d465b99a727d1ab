// The schema of a fleet, as commands bring it up to date.
import { migrateFleet as migrate } from "#db/fleet/fleet-database.ts";
import type { Fleet } from "./open-fleet.ts";

export const migrateFleet = (
  { sql, ask }: Fleet,
  note?: (text: string) => void,
): Promise<{ readonly from: number; readonly to: number }> => ask(() => migrate(sql, note));
