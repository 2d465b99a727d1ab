// The young heap of a command. One that reads sessions throws away nearly all that it makes: in a young heap of 1 MB each collection
// finds what the block at hand is made of, and copies it. An import of 100 MB takes a tenth less processor time with a larger one,
// and peaks at 254 MB, not at 239.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const YOUNG_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 20;

/** Lets the young heap grow to some megabytes, and the old one more than other commands do; a growth that is under way may go further. */
export function growYoungHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=120");
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young !== undefined && young.space_size < YOUNG_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, LOOK_MS);
  timer.unref();
}
