import fc from "fast-check";
import { test } from "vitest";
import { interleavings } from "./testing-interleave.ts";

// `node scripts/long.ts session-memory` goes on for as long as is asked; a life takes some 100 ms.
test("whatever is told, compacted and undone in whatever order, nothing is lost, parted or cut while it waits", () =>
  fc.assert(interleavings(), { numRuns: 25 }));
