import { Badge } from "../ui/badge.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";
import { SafeText } from "../ui/safe-text.tsx";

export function ErrorEvent({ event, open, toggle }: ViewProps<"error">) {
  return (
    <div className="flex items-start gap-2">
      <Badge tone="error">
        <SafeText text={event.body.code ?? "error"} />
      </Badge>
      <div className="min-w-0 flex-1">
        <LongText event={event} text={event.body.text} open={open} toggle={toggle} plain />
      </div>
    </div>
  );
}
