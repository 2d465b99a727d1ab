// registry.jsonl of an artifacts folder: a line for each artifact, with the sha-256 of its content. A line that cannot be
// read is reported and skipped; the others count.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readRegular, syncFolder } from "../private-files.ts";
import { artifactRef } from "./artifact.ts";

const registryEntry = z.looseObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  artifact: artifactRef,
  sessionId: z.string().optional(),
  sessionKey: z.string().optional(),
});
export type RegistryEntry = z.infer<typeof registryEntry>;

export type BadRegistryLine = { readonly file: string; readonly line: number; readonly reason: string };

export type Registry = {
  /** Oldest first. */
  readonly entries: readonly RegistryEntry[];
  readonly bad: readonly BadRegistryLine[];
};

export const registryPath = (artifactsDir: string): string => join(artifactsDir, "registry.jsonl");

/** Every entry of a registry. A folder without one has none. */
export async function readRegistry(artifactsDir: string): Promise<Registry> {
  const file = registryPath(artifactsDir);
  const read = await readRegular(file);
  const entries: RegistryEntry[] = [];
  const bad: BadRegistryLine[] = [];
  for (const [at, line] of (read?.bytes.toString("utf8") ?? "").split("\n").entries()) {
    if (line.trim() === "") continue;
    const entry = parseLine(line);
    if (typeof entry === "string") bad.push({ file, line: at + 1, reason: entry });
    else entries.push(entry);
  }
  return { entries, bad };
}

/** The newest entry with this content. */
export const findByHash = (registry: Registry, hash: string): RegistryEntry | null =>
  registry.entries.findLast((entry) => entry.hash === hash) ?? null;

/** The newest entry with this id. */
export const findById = (registry: Registry, id: string): RegistryEntry | null =>
  registry.entries.findLast((entry) => entry.artifact.id === id) ?? null;

/** Adds entries, synced when it returns. */
export async function appendEntries(artifactsDir: string, entries: readonly RegistryEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = await open(registryPath(artifactsDir), flags, 0o600);
  try {
    await file.chmod(0o600);
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    // A line that a crash left torn is ended first, so that it costs itself alone.
    const isTorn = size > 0 && (await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] !== 0x0a;
    await file.writeFile(`${isTorn ? "\n" : ""}${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(artifactsDir);
}

function parseLine(line: string): RegistryEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "it is not JSON";
  }
  const parsed = registryEntry.safeParse(value);
  return parsed.success ? parsed.data : "it is not an entry of an artifact registry";
}
