// The constants that ledgers are made with: what was fitted to this archive's own sessions, where a person asked for it, else
// the table that is shipped.
import { command } from "#db/statement.ts";
import { z } from "zod";
import { CONSTANTS, type ConstantsTable } from "#lib/kernel/load/constants.ts";
import { FAMILIES, ITEM_CLASSES, type Family, type ItemClass } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const CALIBRATION_KEY = "calibration";

const weighting = z.object({ perToken: z.number().positive().max(10), base: z.number().min(0).max(10_000) });

/** What a fit changed of one family's row. */
const fitted = z.object({
  classes: z.partialRecord(z.enum(ITEM_CLASSES), weighting),
  perSignatureChar: z.number().min(0).max(10).optional(),
  transitions: z.number().int().positive(),
  sessions: z.number().int().positive(),
  fittedAt: z.string(),
});
export type Fitted = z.infer<typeof fitted>;

const stored = z.partialRecord(z.enum(FAMILIES), fitted);
export type StoredCalibration = z.infer<typeof stored>;

export function storedCalibration(archive: Archive): StoredCalibration {
  const parsed = stored.safeParse(readSetting(archive, CALIBRATION_KEY) ?? {});
  return parsed.success ? parsed.data : {};
}

/** The write of saveCalibration: every ledger is another from now on. */
export function keepCalibration(
  archive: Archive,
  _: Batch,
  { calibration }: { readonly calibration: StoredCalibration },
): null {
  putSetting(archive, CALIBRATION_KEY, Object.keys(calibration).length === 0 ? null : calibration);
  command(archive.sqlite, "UPDATE sessions SET version = version + 1").run();
  return null;
}

export function constantsOf(archive: Archive): ConstantsTable {
  const own = storedCalibration(archive);
  const table: Record<Family, ConstantsTable[Family]> = { ...CONSTANTS };
  for (const family of FAMILIES) {
    const fit = own[family];
    if (fit === undefined) continue;
    const shipped = CONSTANTS[family];
    table[family] = {
      ...shipped,
      classes: {
        ...shipped.classes,
        ...(fit.classes as Partial<Record<ItemClass, (typeof shipped.classes)[ItemClass]>>),
      },
      perSignatureChar: fit.perSignatureChar ?? shipped.perSignatureChar,
      source: `${fit.transitions} transitions of ${fit.sessions} sessions of this archive, ${fit.fittedAt.slice(0, 10)}`,
    };
  }
  return table;
}

export const saveCalibrationWrite = defineWrite("saveCalibration", keepCalibration);
