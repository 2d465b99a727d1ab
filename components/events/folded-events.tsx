// Events whose text is folded away until it is asked for.
import { Badge } from "../ui/badge.tsx";
import { formatCount } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

export function ReasoningEvent({ event, open, toggle }: ViewProps<"reasoning">) {
  const { text, encrypted, signatureChars } = event.body;
  const sealed = encrypted || text === "";
  const weight = signatureChars === undefined ? "" : `, ${formatCount(signatureChars, "character")}`;
  const glimpse = text === "" ? `Encrypted by the provider${weight} (counts toward context)` : text;
  return (
    <Fold name="Reasoning" glimpse={glimpse} open={open} toggle={toggle}>
      {text !== "" && <LongText event={event} text={text} open={open} toggle={toggle} />}
      {sealed && (
        <p className="text-12 text-ink-3">
          Encrypted by the provider{weight}. It is sent back with each call and counts toward context.
        </p>
      )}
    </Fold>
  );
}

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
