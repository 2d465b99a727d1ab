// The server takes in what hooks of agents put aside, as soon as it comes.
import { mkdirSync, watch } from "node:fs";
import { spoolFolder, takeSpooled } from "#lib/archive/artifacts/output-spool.ts";
import { renewHookPolicy } from "#lib/archive/settings/hook-policy.ts";
import { readPolicy } from "#lib/archive/settings/offload-policy.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";

/** A watch is a hint: what it misses is found after so long (milliseconds). */
const LOOK_MS = 5000;

/** Returns what ends it, when all that was begun is done. */
export function watchSpool(archive: Archive, onTaken: () => void): () => Promise<void> {
  const folder = spoolFolder(archive.dir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const renewed = renew(archive);
  let last = Promise.resolve();
  let failure = "";
  const look = (): void => {
    last = takeSpooled(archive).then(
      (taken) => {
        failure = "";
        if (taken > 0) onTaken();
      },
      (error: unknown) => {
        // Said once, and not each time that it is tried again.
        if (String(error) !== failure) console.error("Outputs of hooks wait:", error);
        failure = String(error);
      },
    );
  };
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name?.endsWith(".output") === true) look();
  });
  watcher.on("error", () => watcher.close());
  const timer = setInterval(look, LOOK_MS).unref();
  look();
  return async () => {
    watcher.close();
    clearInterval(timer);
    await Promise.all([renewed, last]);
  };
}

/** A process that ended after the policy was saved, and before the hooks' file was, left them the older one. */
async function renew(archive: Archive): Promise<void> {
  try {
    renewHookPolicy(archive.dir, (await readPolicy(archive)).policy);
  } catch (error) {
    console.error("The policy of hooks could not be renewed:", error);
  }
}
