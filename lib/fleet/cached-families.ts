// The families that a node's archive has of its fleet, as a file beside it says.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { scalar } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { hasSession } from "#lib/archive/exports/catalogue-session.ts";
import { isAppError } from "#lib/kernel/errors.ts";

const held = z.object({
  project: z.string(),
  family: z.string(),
  commit: z.string(),
  sessions: z.array(z.string()),
  bytes: z.number(),
  openedAt: z.number(),
});
export type Held = z.infer<typeof held>;

export const keyOf = (project: string, family: string): string => `${project}/${family}`;

export function readHeld(file: string): Held[] {
  if (!existsSync(file)) return [];
  const read = z.array(held).safeParse(JSON.parse(readFileSync(file, "utf8")));
  return read.success ? read.data : [];
}

/** The id of what this archive knows by a name. */
export function idHere(archive: Archive, name: string): string {
  if (hasSession(archive, name)) return name;
  try {
    return scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(findSession(archive, name)) ?? name;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return name;
  }
}
