// The loads at which agents were seen to compact, as they are kept: by model, and by the client's version where clients of
// one model differ by it.
import { scalar } from "#db/statement.ts";
import { eraOf, type Client } from "#lib/kernel/load/compaction-line.ts";
import type { Archive } from "../base/archive-type.ts";
import { cached } from "../base/per-archive.ts";

export const OBSERVED_WINDOWS = "windows.observed";
/** `false`: figures of a session hang on no other. An archive that is a node's cache of a fleet has some of its sessions, and each node others. */
export const LEARNING = "learning";
export type ObservedWindows = Readonly<Record<string, number>>;

type Kind = Client & { readonly model: string | null };

/** What sessions of its kind are kept under, the nearest kind first: its version, then the versions that do as it does. */
export function observedKeys({ model, ...client }: Kind): readonly string[] {
  if (model === null) return [];
  if (client.format !== "claude-code") return [model];
  const era = eraOf(client);
  return [`${model}\n${client.agentVersion ?? ""}`, ...(era === null ? [] : [`${model}\n${era}`])];
}

export const modelOfKey = (key: string): string => key.split("\n")[0]!;

/** The load at which other sessions of this kind were compacted, or null. Another thread may have written it. */
export function observedLine(archive: Archive, kind: Kind): number | null {
  const keys = observedKeys(kind);
  if (keys.length === 0) return null;
  const text = scalar(archive.sqlite, "settings.value", "FROM settings WHERE key = ?").get(OBSERVED_WINDOWS);
  if (typeof text !== "string") return null;
  const windows = cached(archive, "observed windows", text, () => JSON.parse(text) as ObservedWindows);
  const key = keys.find((one) => Object.hasOwn(windows, one));
  return key === undefined ? null : windows[key]!;
}
