// Where the setting of sending is kept, and the write that keeps it. The token is not in it.
import { z } from "zod";
import { MASKS, type SendingSetting } from "#lib/wire/sending-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const SETTING = "sending";

const kept = z.object({
  on: z.boolean(),
  to: z.string(),
  project: z.string().nullable(),
  exclude: z.array(z.string()),
  mask: z.enum(MASKS),
});

const OFF: SendingSetting = { on: false, to: "", project: null, exclude: [], mask: "none" };

/** As it was set; a row that is not understood sends nothing. */
export function sendingRow(archive: Archive): SendingSetting {
  const read = kept.safeParse(readSetting(archive, SETTING));
  return read.success ? read.data : OFF;
}

/** The write of saveSending. */
export function keepSending(archive: Archive, _: Batch, setting: SendingSetting): null {
  putSetting(archive, SETTING, setting);
  return null;
}

export const saveSendingWrite = defineWrite("saveSending", keepSending);
