import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

/** A record that is known, but is not conversation. Hidden unless asked for. */
export function MetaEvent({ event, open, toggle }: ViewProps<"meta">) {
  return (
    <Fold name={event.body.subtype.replaceAll("_", " ")} glimpse={event.body.text} open={open} toggle={toggle}>
      {event.body.text === "" ? (
        <p className="text-12 text-ink-3">No text. Switch to Raw to see the record.</p>
      ) : (
        <LongText event={event} text={event.body.text} open={open} toggle={toggle} plain />
      )}
    </Fold>
  );
}
