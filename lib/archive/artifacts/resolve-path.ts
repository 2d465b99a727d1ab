// Paths that designs before this one gave to models. A path is text that is compared: no file is opened by it.
import { isAbsolute, join, normalize, sep } from "node:path";

/** What a path inside the archive asks for, when its last part is an artifact's id or a digest; null for any other. */
export function refOfPath(root: string, path: string): string | null {
  if (path.includes("\0") || path.split(/[/\\]/).includes("..")) return null;
  const full = isAbsolute(path) ? normalize(path) : join(root, path);
  if (!full.startsWith(root + sep)) return null;
  const last = full.slice(full.lastIndexOf(sep) + 1);
  const id = /^(art_[0-9a-f]{16}(?:[0-9a-f]{8}|[0-9a-f]{48})?)(?:\.txt)?$/.exec(last)?.[1];
  if (id !== undefined) return id;
  return /^[0-9a-f]{64}$/.test(last) ? `sha256:${last}` : null;
}
