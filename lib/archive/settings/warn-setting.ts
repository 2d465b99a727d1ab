// From which share of the load line a person wants to be warned.
import type { Connection } from "#db/connection.ts";
import type { WarnSetting } from "#lib/wire/status-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting, WARN_SETTING } from "../base/setting-rows.ts";
import { defineWrite, write } from "../base/write.ts";

/** 0.1 to 1; null where nobody set one. */
export const readWarnAt = (archive: Connection): number | null => readSetting(archive, WARN_SETTING) as number | null;

/** The write of saveWarnAt. */
function keepWarnAt(archive: Archive, _batch: Batch, { warnAt }: WarnSetting): null {
  putSetting(archive, WARN_SETTING, warnAt);
  return null;
}

export const saveWarnAtWrite = defineWrite("saveWarnAt", keepWarnAt);

export async function saveWarnAt(archive: Archive, setting: WarnSetting): Promise<WarnSetting> {
  await write(archive, saveWarnAtWrite, setting);
  return { warnAt: readWarnAt(archive) };
}
