// Colours for an opened tool result of the transcript: the text that a read tool gave, without its line numbers.
import { z } from "zod";
import { getEvent } from "#lib/archive/sessions/list-events.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { eventText } from "#lib/kernel/event.ts";
import { numberedLines } from "#components/events/event-lines.ts";
import { highlight } from "#components/shared/highlight.ts";

export const GET = route({
  params: sessionParams,
  query: z.object({ seq: z.coerce.number().int().min(1), language: z.string().max(40) }),
  run: async ({ slot, params, query }) => {
    const event = await getEvent(slot.archive, params.id, query.seq);
    const text = numberedLines(eventText(event.body))
      .map((line) => line.text)
      .join("\n");
    return highlight(text, query.language);
  },
});
