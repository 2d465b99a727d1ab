// What a person set about how long artifacts stay and how much there may be.
import type { RetentionSettings } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const SETTING = "artifacts.retention";

const QUOTA_SETTING = "artifacts.quota";

type Quota = { readonly sessionBytes: number | null; readonly archiveBytes: number | null };

/** How much may be stored: null where a person set no limit. */
export const readQuota = (archive: Archive): Quota => ({
  sessionBytes: null,
  archiveBytes: null,
  ...(readSetting(archive, QUOTA_SETTING) as Partial<Quota> | null),
});

type Kept = Pick<RetentionSettings, "maxAgeDays" | "maxBytes" | "keepNamed">;

/** As they were set; without limits until then. */
export function retentionOf(archive: Archive): RetentionSettings {
  const kept = readSetting(archive, SETTING) as Partial<Kept> | null;
  return { maxAgeDays: null, maxBytes: null, keepNamed: true, ...kept, ...readQuota(archive) };
}

/** The write of saveRetention. */
export function keepRetention(archive: Archive, _batch: Batch, settings: RetentionSettings): null {
  const { sessionBytes, archiveBytes, ...kept } = settings;
  putSetting(archive, SETTING, kept);
  putSetting(
    archive,
    QUOTA_SETTING,
    sessionBytes === null && archiveBytes === null ? null : { sessionBytes, archiveBytes },
  );
  return null;
}

export const saveRetentionWrite = defineWrite("saveRetention", keepRetention, { freesRoom: true });
