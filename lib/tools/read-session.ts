// A session as text, event by event, in bounded parts.
import { z } from "zod";
import { getEvent, listEvents } from "#lib/archive/sessions/list-events.ts";
import { EVENT_TYPES, eventText } from "#lib/kernel/event.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import { defineTool } from "./define-tool.ts";
import { sessionOf, sessionRef } from "./session-ref.ts";

/** Of one event among others (characters); an event that is read alone is shown as far as max_chars goes. */
const EVENT_CHARS = 2000;
const MOST_CHARS = 60_000;
const AT_ONCE = 100;

export const readSession = defineTool({
  name: "read_session",
  title: "Read a session",
  description:
    "Reads the events of a session in order: messages, tool calls, results, compactions, with their tokens. A long event is cut; from_event and to_event set to its number show more of it.",
  maxBytes: 4 * MOST_CHARS,
  input: z
    .strictObject({
      session: sessionRef,
      from_event: z.int().min(1).default(1),
      to_event: z.int().min(1).optional(),
      types: z.array(z.enum(EVENT_TYPES)).min(1).optional().describe("Only events of these types"),
      max_chars: z.int().min(500).max(MOST_CHARS).default(12_000),
    })
    .refine(({ from_event, to_event = from_event }) => to_event >= from_event, {
      path: ["to_event"],
      message: "is before from_event",
    }),
  async run(context, { session, from_event, to_event, types, max_chars }) {
    const id = await sessionOf(context, session);
    const isAlone = to_event === from_event;
    const parts: string[] = [];
    let chars = 0;
    let from: number | null = from_event;
    while (from !== null) {
      const query = { from, to: to_event, type: types?.join(","), limit: AT_ONCE };
      const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(context.archive, id, query);
      for (const view of page.events) {
        const whole = isAlone && view.textCut ? await getEvent(context.archive, id, view.seq) : view;
        const text = textOf(whole, isAlone ? max_chars - 200 : EVENT_CHARS);
        if (parts.length > 0 && chars + text.length > max_chars)
          return answer(parts, `[more: continue with from_event=${view.seq}]`);
        parts.push(text);
        chars += text.length;
      }
      from = page.next;
    }
    return answer(parts, parts.length === 0 ? "[no events in this range]" : "[end of the session, or of the range]");
  },
});

const answer = (parts: readonly string[], end: string) => ({ text: [...parts, end].join("\n\n"), isError: false });

function textOf(view: EventView, most: number): string {
  const { seq, type, turn, tokens, origin, stored, body } = view;
  const tool = view.toolName === null ? "" : ` ${view.toolName}`;
  const weight = tokens === null ? "" : `, ${origin === "reported" ? "" : "~"}${tokens} tokens`;
  const whole = stored === null || stored.state !== "live" ? "" : `, stored whole as ${stored.pointer}`;
  const text = eventText(body);
  const cut = text.length > most || view.textCut ? `\n[event ${seq} is cut]` : "";
  return `#${seq} ${type}${tool} (turn ${turn}${weight}${whole})\n${text.slice(0, most).toWellFormed()}${cut}`;
}
