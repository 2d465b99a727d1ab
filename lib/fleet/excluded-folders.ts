// Folders whose sessions stay on the sender's machine.
import { posix } from "node:path";

/** The rule that keeps a family here; null where none does. A folder's rule holds for what lies below it. */
export const excludedBy = (folders: readonly string[], rules: readonly string[]): string | null =>
  rules.find((rule) => folders.some((folder) => isWithin(folder, rule))) ?? null;

const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i;

/** Folders of Windows are the same with either slash, and in any case of their letters. */
function isWithin(folder: string, rule: string): boolean {
  const same = (path: string): string => (WINDOWS.test(folder) ? path.replaceAll("\\", "/").toLowerCase() : path);
  const at = same(folder);
  const plain = same(rule).replace(/\/+$/, "");
  const globs = [plain, `${plain}/**`];
  return at === plain || at.startsWith(`${plain}/`) || globs.some((glob) => posix.matchesGlob(at, glob));
}
