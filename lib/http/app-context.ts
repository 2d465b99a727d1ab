// What the running server opened. Endpoints are given it; pages that are rendered on the server find it in globalThis, because
// Next bundles a copy of `lib` for them. Nothing here opens anything; `next build` finds nothing open.
import type { StoredTelemetry } from "#lib/archive/import/telemetry-files.ts";
import type { Root } from "#lib/archive/sources/source-roots.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { ImportAnswer, ImportProgress, SourcesAnswer } from "#lib/wire/sources-schema.ts";
import type { SendingAnswer, SendingPreview, SendingRequest } from "#lib/wire/sending-schema.ts";
import type { Changes } from "./changes.ts";

/** Imports run in a worker of the server process; this is how the doors ask for them. */
export type Imports = {
  start(paths: string[], as?: { readonly isCopy: boolean }): Promise<{ id: string; done: Promise<ImportAnswer> }>;
  progress(): ImportProgress | null;
  /** Imports that run, wait for their turn, or failed and can be retried. */
  jobs(): ImportProgress[];
  cancel(id: string): Promise<void>;
  /** Submits an import that failed again. */
  retry(id: string): Promise<void>;
  /** The folders that are read, as they are listed, and whether they are watched. */
  roots(): Promise<SourcesAnswer["roots"]>;
  /** Each of them. */
  folders(): Promise<Root[]>;
  addRoot(path: string): Promise<void>;
  removeRoot(path: string): Promise<void>;
  /** Reads reset and deleted transcripts of a folder, or no longer. */
  readArchived(path: string, on: boolean): Promise<void>;
  loadDemo(): Promise<ImportAnswer>;
  /** Telemetry was stored: its sessions are read soon, and those that have a file show it. */
  telemetry(stored: StoredTelemetry): void;
  /** From whom telemetry came, the latest first. */
  received(): SourcesAnswer["telemetry"];
  /** Counts this session's tokens before the others. */
  count(sessionPk: number): void;
};

/** Sending sessions to a fleet as they come; a thread of the server does it. */
export type SendingDoor = {
  read(): SendingAnswer;
  /** Keeps the setting, and begins anew with it. */
  save(request: SendingRequest): Promise<SendingAnswer>;
  /** What would go with a setting that is not kept yet. */
  preview(request: SendingRequest, signal: AbortSignal): Promise<SendingPreview>;
  sendNow(): Promise<SendingAnswer>;
};

export type AppContext = {
  readonly archive: Archive;
  readonly imports: Imports;
  /** Where this server is a node of a fleet. */
  readonly fleet: FleetNode | null;
  readonly sending: SendingDoor;
  readonly changes: Changes;
  /** Proves to the command line that this is the server of endpoint.json. */
  readonly nonce: string;
  /** A link that signs a browser in, once. */
  newLink(): string;
};

const key = Symbol.for("plimsoll");

/** What `bin/serve.ts` opened. */
export function appContext(): AppContext {
  const found = (globalThis as Record<symbol, unknown>)[key];
  if (!found) {
    fail(
      "unsupported",
      "No archive is open in this process. Start the server: npx plimsoll, or npm start in a checkout.",
    );
  }
  return found as AppContext;
}

/** Puts what is open where the pages find it. */
export function setAppContext(value: AppContext): void {
  (globalThis as Record<symbol, unknown>)[key] = value;
}
