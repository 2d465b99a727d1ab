import { formatCount } from "../ui/format.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

export function ReasoningEvent({ event, open, toggle }: ViewProps<"reasoning">) {
  const { text, encrypted, signatureChars } = event.body;
  const sealed = encrypted || text === "";
  const weight = signatureChars === undefined ? "" : `, ${formatCount(signatureChars, "character")}`;
  const glimpse = text === "" ? `sealed by the provider${weight}: it weighs, but cannot be read` : text;
  return (
    <Fold name="Reasoning" glimpse={glimpse} open={open} toggle={toggle}>
      {text !== "" && <LongText event={event} text={text} open={open} toggle={toggle} />}
      {sealed && (
        <p className="text-12 text-ink-3">
          The provider sealed this reasoning{weight}. It is sent back with every call and weighs there, but only the
          provider can read it.
        </p>
      )}
    </Fold>
  );
}
