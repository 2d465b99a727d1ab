import type { ComponentType } from "react";
import type { EventType } from "#lib/kernel/event.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import { EVENT_VIEWS } from "./index.ts";
import { isType, type ViewProps } from "./view.ts";

type EventBodyProps = { event: EventView; result: EventView | null; open: boolean; toggle: () => void };

/** An event by the view of its type, with its result where it is a call that has one. */
export function EventBody({ event, result, open, toggle }: EventBodyProps) {
  // The registry's type says that each view fits its own type of event; the union of all of them cannot.
  const View = EVENT_VIEWS[event.body.type] as ComponentType<ViewProps<EventType>>;
  const half = result && isType(result, "tool_result") ? result : null;
  return <View event={event} result={half} open={open} toggle={toggle} />;
}
