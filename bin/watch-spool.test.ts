// What the server does for the hooks of agents when it starts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveHookPolicy } from "#lib/archive/settings/hook-policy.ts";
import { readPolicy, savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { watchSpool } from "./watch-spool.ts";

test("hooks follow the policy that was saved, though the process ended before their file was written", () =>
  inArchive(async (archive) => {
    const before = (await readPolicy(archive)).policy;
    saveHookPolicy(archive.dir, before);
    const { policy } = await savePolicy(archive, { preset: "window" });
    expect(policy).not.toEqual(before);
    // As a crash between the two leaves it.
    saveHookPolicy(archive.dir, before);
    const end = watchSpool(archive, () => undefined);
    await end();
    expect(JSON.parse(readFileSync(join(archive.dir, "hooks", "policy.json"), "utf8"))).toEqual(policy);
  }));
