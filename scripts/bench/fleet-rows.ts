// The bench of a fleet: sending, opening, sessions that go on, memory, appending, and a catalogue of a million sessions (--sessions N for a smaller one;
// --keep FOLDER leaves the database there, and finds it there the next time).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gatewayMissing } from "../fleet/gateway.ts";
import { catalogueRows } from "./fleet-catalogue-rows.ts";
import { growthRows } from "./fleet-growth-rows.ts";
import { memoryRows } from "./fleet-memory-rows.ts";
import { sendRows } from "./fleet-send-rows.ts";
import { benchServices } from "./fleet-services.ts";
import { heldAppendRows } from "./held-append-rows.ts";
import { skipped, type Row } from "./table.ts";

export type FleetBench = {
  readonly sessions: number;
  readonly folder: string | null;
  /** One part alone. */
  readonly part: string | null;
};

export async function fleetRows(work: string, { sessions, folder, part }: FleetBench): Promise<Row[]> {
  const missing = gatewayMissing();
  if (missing !== null) return [skipped("a fleet", "the rows of docs/fleet.md", missing)];
  mkdirSync(work, { recursive: true, mode: 0o755 });
  const parts: Record<string, () => Promise<Row[]>> = {
    send: () => withServices(join(work, "send"), null, (services, dir) => sendRows(services, dir)),
    growth: () => withServices(join(work, "growth"), null, (services, dir) => growthRows(services, dir)),
    memory: () => withServices(join(work, "memory"), null, (services, dir) => memoryRows(services, dir)),
    append: () => heldAppendRows(work),
    catalogue: () =>
      withServices(join(work, "catalogue"), folder, (services, dir) => catalogueRows(services, dir, sessions)),
  };
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (part !== null && part !== name) continue;
    console.error(`fleet: ${name} …`);
    rows.push(...(await measure()));
  }
  return rows;
}

async function withServices(
  dir: string,
  folder: string | null,
  run: (services: Awaited<ReturnType<typeof benchServices>>, dir: string) => Promise<Row[]>,
): Promise<Row[]> {
  const services = await benchServices(dir, folder);
  try {
    return await run(services, dir);
  } finally {
    await services.stop();
  }
}
