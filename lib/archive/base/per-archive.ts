// What modules remember of an opened archive, for as long as it is open.
import type { Archive } from "./archive-type.ts";

/** State of one module for each opened archive: made when it is first asked for. */
export function perArchive<T>(make: (archive: Archive) => T): (archive: Archive) => T {
  const states = new WeakMap<Archive, { readonly state: T }>();
  return (archive) => {
    let held = states.get(archive);
    if (held === undefined) states.set(archive, (held = { state: make(archive) }));
    return held.state;
  };
}

type Cached = { readonly version: string | number; readonly value: unknown };
const caches = perArchive(() => new Map<string, Map<string, Cached>>());

/**
 * A value that holds while its version does; made anew when that is another. A name may have values of several keys, of
 * which the `limit` last used are kept.
 */
export function cached<T>(
  archive: Archive,
  name: string,
  version: string | number,
  make: () => T,
  { key = "", limit = 1 }: { readonly key?: string; readonly limit?: number } = {},
): T {
  const names = caches(archive);
  let values = names.get(name);
  if (values === undefined) names.set(name, (values = new Map()));
  const held = values.get(key);
  const value = held?.version === version ? (held.value as T) : make();
  values.delete(key);
  values.set(key, { version, value });
  if (values.size > limit) values.delete(values.keys().next().value!);
  return value;
}
