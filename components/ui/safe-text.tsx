import { Fragment } from "react";
import { Badge } from "./badge.tsx";
import { splitHidden, splitHits } from "#lib/kernel/hidden-text.ts";

type SafeTextProps = {
  text: string;
  /** Says *hidden text* after it, when there is any. */
  badge?: boolean;
};

/** Text of unknown origin: what would not show is named, and it cannot turn the line around it. */
export function SafeText({ text, badge = false }: SafeTextProps) {
  const parts = splitHidden(text);
  if (parts.length === 1 && parts[0]?.hidden === false) return <bdi>{text}</bdi>;
  return (
    <>
      <bdi>
        {parts.map((part, index) =>
          part.hidden ? (
            // eslint-disable-next-line react/no-array-index-key -- the parts of one text never move
            <span key={index} className="hidden-char" title="A character that would not show">
              {part.text}
            </span>
          ) : (
            // eslint-disable-next-line react/no-array-index-key -- as above
            <Fragment key={index}>{part.text}</Fragment>
          ),
        )}
      </bdi>
      {badge && (
        <>
          {" "}
          <Badge title="Invisible characters in this text are shown by name">hidden text</Badge>
        </>
      )}
    </>
  );
}

/** A search snippet with its hits marked. */
export function Hits({ text }: { text: string }) {
  return splitHits(text).map((part, index) =>
    part.hit ? (
      // eslint-disable-next-line react/no-array-index-key -- as above
      <mark key={index}>
        <SafeText text={part.text} />
      </mark>
    ) : (
      // eslint-disable-next-line react/no-array-index-key -- as above
      <SafeText key={index} text={part.text} />
    ),
  );
}
