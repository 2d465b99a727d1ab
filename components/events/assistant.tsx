import { Images } from "./images.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

export function AssistantEvent({ event, open, toggle }: ViewProps<"assistant">) {
  return (
    <div className="flex gap-2">
      <i className="w-[3px] flex-none self-stretch rounded-[1px] bg-c-assistant" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <span className="sr-only">Assistant: </span>
        {event.body.text.trim() === "" && (event.body.images ?? []).length === 0 ? (
          <span className="text-12 text-ink-3">Blank text</span>
        ) : (
          <LongText event={event} text={event.body.text} open={open} toggle={toggle} />
        )}
        <Images images={event.body.images} />
      </div>
    </div>
  );
}
