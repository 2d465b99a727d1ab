import { CornerDownRight } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import { formatBytes } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Output } from "./capped-text.tsx";
import { Images } from "./images.tsx";
import { Status } from "./tool-call.tsx";
import { TwoTruths } from "./two-truths.tsx";
import type { ViewProps } from "./view.ts";
import { EventHead } from "./event-parts.tsx";

/** A result whose call is not in this log. One that has its call stands in the call's row. */
export function ToolResultEvent({ event, open, toggle }: ViewProps<"tool_result">) {
  return (
    <div>
      <EventHead>
        <CornerDownRight size={14} className="flex-none text-ink-2" aria-hidden="true" />
        <span className="font-medium">Result</span>
        {event.toolName !== null && (
          <span className="mono truncate">
            <SafeText text={event.toolName} />
          </span>
        )}
        <Badge title="Its call is not in this log">no call</Badge>
        <span className="ml-auto flex items-center gap-2.5 text-12 text-ink-3">
          <Status event={null} result={event} />
          <span>{formatBytes(event.stored?.sizeBytes ?? event.bytes)}</span>
        </span>
      </EventHead>
      {event.saw === "preview" ? (
        <TwoTruths event={event} open={open} toggle={toggle} />
      ) : (
        <Output event={event} lines={4} open={open} toggle={toggle} />
      )}
      <Images images={event.body.images} />
    </div>
  );
}
