import fc from "fast-check";
import { test } from "vitest";
import { interleavingsProperty } from "./testing-interleavings.ts";

test("whatever comes between what, nothing is lost, nothing is parted, and no epoch goes back", async () => {
  await fc.assert(interleavingsProperty());
});
