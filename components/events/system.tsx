import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

export function SystemEvent({ event, open, toggle }: ViewProps<"system">) {
  return (
    <Fold
      name={`System, ${event.body.subtype.replaceAll("_", " ")}`}
      glimpse={event.body.text}
      open={open}
      toggle={toggle}
    >
      <LongText event={event} text={event.body.text} open={open} toggle={toggle} plain />
    </Fold>
  );
}
