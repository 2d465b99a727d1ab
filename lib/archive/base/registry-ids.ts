import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Sessions that have a registry, whatever the database knows. */
export function registryIds(archive: { readonly dir: string }): string[] {
  try {
    return readdirSync(join(archive.dir, "sessions"))
      .filter((name) => /^s_[0-9a-f]{16}$/.test(name))
      .toSorted();
  } catch {
    return [];
  }
}
