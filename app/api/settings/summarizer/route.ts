import { readSummarizer, saveSummarizer } from "#lib/archive/settings/summarizer-setting.ts";
import { route } from "#lib/http/route.ts";
import { summarizerRequest } from "#lib/wire/summarizer-schema.ts";

export const GET = route({ run: ({ slot }) => readSummarizer(slot.archive) });

export const PUT = route({ body: summarizerRequest, run: ({ slot, body }) => saveSummarizer(slot.archive, body) });
