import { Badge } from "../ui/badge.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "../ui/hidden-text.ts";

/** A record that no format understood: its bytes are kept, and the reason is said. */
export function UnknownEvent({ event, open, toggle }: ViewProps<"unknown">) {
  return (
    <Fold
      name="Not understood"
      glimpse={event.body.reason}
      open={open}
      toggle={toggle}
      marks={<Badge title={shownText(event.body.reason)}>kept as it is</Badge>}
    >
      <p className="text-12 text-ink-2">
        <SafeText text={event.body.reason} />
      </p>
      <LongText event={event} text={event.body.text} open={open} toggle={toggle} plain />
    </Fold>
  );
}
