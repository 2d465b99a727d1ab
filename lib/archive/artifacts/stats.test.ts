// The sums of what is stored are never older than the question, however slow the machine is.
import { afterEach, expect, test, vi } from "vitest";
import { inArchive } from "../testing-archive.ts";
import { createSession } from "./create-session.ts";
import { readStats } from "./stats.ts";
import { storeArtifact } from "./store-artifact.ts";

afterEach(() => vi.restoreAllMocks());

test("what was stored since is counted, also when counting took a second", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "s" });
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    expect(await readStats(archive)).toMatchObject({ artifacts: 0 });
    await storeArtifact(archive, { session: id }, Buffer.from("stored since"));
    expect(await readStats(archive)).toMatchObject({ artifacts: 1, logicalBytes: 12 });
  }));
