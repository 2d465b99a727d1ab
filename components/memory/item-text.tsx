"use client";
// What an item says. Pointers to artifacts lead to them; the summary of many turns shows its beginning.
import Link from "next/link";
import { Fragment, useState } from "react";
import { artifactPath } from "../shared/session-queries.ts";
import { hasHidden } from "../ui/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { headOf, pointerParts } from "./memory-view.ts";

export function ItemText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const head = headOf(text);
  const isLong = head.length < text.length;
  const shown = isOpen ? text : head;
  return (
    <div className="min-w-0 flex-1">
      <p className="whitespace-pre-wrap">
        {pointerParts(shown).map((part, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never move
          <Fragment key={at}>
            {part.pointer ? (
              <Link
                prefetch={false}
                className="link mono underline decoration-line-strong"
                href={artifactPath(part.text)}
              >
                {part.text}
              </Link>
            ) : (
              <SafeText text={part.text} badge={hasHidden(part.text)} />
            )}
          </Fragment>
        ))}
        {isLong && !isOpen && "…"}
      </p>
      {isLong && (
        <button type="button" className="link text-12" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString("en-US")} characters`}
        </button>
      )}
    </div>
  );
}
