// The families that a node's archive has of its fleet, as a file beside it says.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

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
