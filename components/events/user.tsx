import { Badge } from "../ui/badge.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { Fold } from "./fold.tsx";
import { Images } from "./images.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";

/** A first line longer than this, about two lines of 15 px, is text, not a heading. */
const TITLE_CHARS = 240;

/** A user's words; the first line heads its turn. What an agent put in their mouth is folded. */
export function UserEvent({ event, open, toggle }: ViewProps<"user">) {
  const { text, injected, images } = event.body;
  if (injected !== undefined && !event.startsTurn)
    return (
      <Fold name={injectedName(injected)} glimpse={text} open={open} toggle={toggle}>
        <LongText event={event} text={text} open={open} toggle={toggle} plain={injected !== "summary"} />
        <Images images={images} />
      </Fold>
    );
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("\n");
  const first = end < 0 ? trimmed : trimmed.slice(0, end);
  const isTitle = first.length <= TITLE_CHARS;
  const rest = isTitle ? (end < 0 ? "" : trimmed.slice(end + 1).trim()) : trimmed;
  return (
    <div className="flex gap-2">
      <i className="w-[3px] flex-none self-stretch rounded-[1px] bg-c-user" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <h3 className="flex min-h-6 flex-wrap items-baseline gap-x-2 text-15 font-medium">
          <span className="sr-only">User: </span>
          {isTitle && (
            <span className="min-w-0 break-words [&>bdi[dir=rtl]]:block">
              <SafeText text={first} badge />
            </span>
          )}
          <span className="text-12 font-normal whitespace-nowrap text-ink-3">
            {event.startsTurn && <>turn {event.turn}</>}
            {event.ts !== null && (
              <>
                {event.startsTurn && ", "}
                <When ts={event.ts} show="time" />
              </>
            )}
          </span>
          {injected !== undefined && <Badge>{injectedName(injected)}</Badge>}
        </h3>
        {(rest !== "" || event.textCut) && <LongText event={event} text={rest} open={open} toggle={toggle} />}
        <Images images={images} />
      </div>
    </div>
  );
}

const injectedName = (injected: string): string => injected.replaceAll(/[_-]/gu, " ");
