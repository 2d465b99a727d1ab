// From whom telemetry came, how much and when, in a file beside it: what Sources says of it.
import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { telemetryRow, type TelemetryRow } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import type { StoredTelemetry } from "./telemetry-files.ts";
import { telemetryFolder } from "./telemetry-journal.ts";

const SAVE_MS = 500;
/** Names are told by whoever sends: further ones are counted together. */
const SERVICES = 100;
const OTHERS = "others";

type State = { readonly rows: Map<string, TelemetryRow>; timer: NodeJS.Timeout | null };

const stateOf = perArchive((archive): State => ({ rows: readRows(archive), timer: null }));

const fileOf = (archive: Archive): string => join(telemetryFolder(archive), "received.json");

function readRows(archive: Archive): Map<string, TelemetryRow> {
  try {
    const rows = telemetryRow.array().parse(JSON.parse(readFileSync(fileOf(archive), "utf8")));
    return new Map(rows.map((row) => [row.service, row]));
  } catch {
    return new Map();
  }
}

/** The latest first. */
export const receivedTelemetry = (archive: Archive): TelemetryRow[] =>
  [...stateOf(archive).rows.values()].toSorted((a, b) => b.lastAt - a.lastAt);

/** Counts what was stored; written soon, once for many. */
export function noteReceived(archive: Archive, { services }: Pick<StoredTelemetry, "services">): void {
  const state = stateOf(archive);
  const now = archive.host.now();
  for (const [name, records] of services) {
    const isKnown = state.rows.has(name) || state.rows.size < SERVICES;
    const service = isKnown ? name.slice(0, 200) : OTHERS;
    const row = state.rows.get(service) ?? { service, records: 0, firstAt: now, lastAt: now };
    state.rows.set(service, { ...row, records: row.records + records, lastAt: now });
  }
  if (services.size > 0) state.timer ??= setTimeout(() => void save(archive, state), SAVE_MS).unref();
}

async function save(archive: Archive, state: State): Promise<void> {
  state.timer = null;
  const path = fileOf(archive);
  mkdirSync(telemetryFolder(archive), { recursive: true, mode: 0o700 });
  // A full disk leaves the older one.
  await writeFile(`${path}.new`, JSON.stringify([...state.rows.values()]), { mode: 0o600 })
    .then(() => rename(`${path}.new`, path))
    .catch(() => undefined);
}
