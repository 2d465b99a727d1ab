// Where the summarizer's setting is kept, and the write that keeps it: apart from the verbs, which ask for writes.
import { z } from "zod";
import { SUMMARIZER_KINDS } from "#lib/wire/summarizer-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const SETTING = "summarizer";

const keptSummarizer = z.object({ kind: z.enum(SUMMARIZER_KINDS), baseUrl: z.string(), model: z.string() });
export type KeptSummarizer = z.infer<typeof keptSummarizer>;

const OFF: KeptSummarizer = { kind: "off", baseUrl: "", model: "" };

/** As it was set; a row that is not understood asks nobody. */
export function summarizerRow(archive: Archive): KeptSummarizer {
  const read = keptSummarizer.safeParse(readSetting(archive, SETTING));
  return read.success ? read.data : OFF;
}

/** The write of saveSummarizer. */
export function keepSummarizer(archive: Archive, _: Batch, kept: KeptSummarizer): null {
  putSetting(archive, SETTING, kept);
  return null;
}

export const saveSummarizerWrite = defineWrite("saveSummarizer", keepSummarizer);
