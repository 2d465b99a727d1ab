// The archive's default policy as a file, for the hooks of agents: they open no database.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";

const folderOf = (dir: string): string => join(dir, "hooks");

export function saveHookPolicy(dir: string, policy: OffloadPolicy): void {
  mkdirSync(folderOf(dir), { recursive: true, mode: 0o700 });
  const path = join(folderOf(dir), "policy.json");
  writeFileSync(`${path}.draft`, `${JSON.stringify(policy)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.draft`, path);
}

/** The same, where a hook was installed. */
export function renewHookPolicy(dir: string, policy: OffloadPolicy): void {
  if (existsSync(folderOf(dir))) saveHookPolicy(dir, policy);
}
