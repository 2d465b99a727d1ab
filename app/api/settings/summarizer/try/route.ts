import { trySummarizer } from "#lib/archive/settings/summarizer-setting.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({ run: ({ slot }) => trySummarizer(slot.archive) });
