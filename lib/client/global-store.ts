// The one store of a process: made when it is first asked for, and the same for everybody, so that what one turn stored
// the next can read. What is past its time is swept then, and every minute.
import type { ArtifactStoreOptions } from "./artifact-store.ts";
import { ArtifactStore } from "./artifact-store.ts";

// Two copies of a module may be loaded into one process; a symbol of the registry is the same in both.
const SLOT = Symbol.for("plimsoll.ArtifactStore");
const SWEEP_MS = 60_000;

/** The process's store. Options count for the call that makes it. */
export function getArtifactStore(options: ArtifactStoreOptions = {}): ArtifactStore {
  const slots = globalThis as { [SLOT]?: ArtifactStore };
  return (slots[SLOT] ??= open(options));
}

function open(options: ArtifactStoreOptions): ArtifactStore {
  const store = new ArtifactStore(options);
  sweep(store);
  setInterval(() => {
    try {
      sweep(store);
    } catch (error) {
      // A disk that fails now may work in a minute; an agent does not end because of a sweep.
      console.error(`The artifact store could not be swept: ${(error as Error).message}`);
    }
  }, SWEEP_MS).unref();
  return store;
}

let isHoldReported = false;

/** Says once why nothing expires. */
function sweep(store: ArtifactStore): void {
  store.cleanup_expired();
  const hold = store.sweepHold();
  if (hold !== null && !isHoldReported) console.error(`The artifact store was not swept. ${hold}`);
  isHoldReported = hold !== null;
}
