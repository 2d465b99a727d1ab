// What a proxy says of itself while it runs, in a file beside what it records: the pages and other commands read it.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { proxyRow, type ProxyRow } from "#lib/wire/sources-schema.ts";
import { captureFolder, type CaptureCounts } from "./capture-files.ts";
import type { Upstreams } from "./upstreams.ts";

const NAME = /^proxy-(\d+)\.json$/;
const fileOf = (archiveDir: string, pid: number): string => join(captureFolder(archiveDir), `proxy-${pid}.json`);

export type StatusFile = { save(): void; remove(): void };

/** Keeps the file of this process: `save` writes it soon, once for many. */
export function openStatus(
  archiveDir: string,
  about: { readonly port: number; readonly command: string | null; readonly upstreams: Upstreams },
  counts: CaptureCounts,
): StatusFile {
  const path = fileOf(archiveDir, process.pid);
  const startedAt = Date.now();
  let timer: NodeJS.Timeout | null = null;
  let isRemoved = false;
  const write = async (): Promise<void> => {
    timer = null;
    const status: ProxyRow = { pid: process.pid, startedAt, ...about, ...counts };
    // A full disk leaves the older one.
    await writeFile(`${path}.new`, JSON.stringify(status), { mode: 0o600 })
      .then(() => rename(`${path}.new`, path))
      .catch(() => undefined);
    if (isRemoved) rmSync(path, { force: true });
  };
  return {
    save: () => void (timer ??= setTimeout(() => void write(), SAVE_MS)),
    remove: () => {
      isRemoved = true;
      if (timer !== null) clearTimeout(timer);
      rmSync(path, { force: true });
      rmSync(`${path}.new`, { force: true });
    },
  };
}

const SAVE_MS = 500;

/** The proxies that run now and record into an archive. */
export function runningProxies(archiveDir: string): ProxyRow[] {
  let names: string[];
  try {
    names = readdirSync(captureFolder(archiveDir));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid === 0 || !isAlive(pid)) return [];
    try {
      return [proxyRow.parse(JSON.parse(readFileSync(fileOf(archiveDir, pid), "utf8")))];
    } catch {
      return [];
    }
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
