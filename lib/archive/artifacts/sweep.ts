// The sweep as a door asks for it: where a thread of its own writes, it runs there.
import type { GcAnswer, GcRequest } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { collect } from "./gc.ts";

/** Sweeps what should go, or says what would. */
export async function askSweep(
  archive: Archive,
  request: Partial<GcRequest>,
  options: WorkOptions = {},
): Promise<GcAnswer> {
  const elsewhere = archive.writer?.work;
  return elsewhere === undefined
    ? collect(archive, request, options)
    : ((await elsewhere("gc", request, options)) as GcAnswer);
}
