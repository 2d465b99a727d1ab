"use client";
// One message of the context, whole, as the model is sent it.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { CopyButton } from "../ui/copy-button.tsx";
import { contextMessageQueryOf } from "../shared/memory-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { IconButton } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { ContextForm } from "#lib/wire/memory-schema.ts";
import type { MessageRow } from "./context-view.ts";
import { EventLinks } from "../shared/event-links.tsx";

type MessageDetailProps = {
  row: MessageRow;
  /** The event that the context stands at. */
  at: number;
  as: ContextForm;
  /** The compaction or plan whose context it is, or null. */
  plan: string | null;
  onOpen: (seq: number) => void;
  onClose: () => void;
};

export function MessageDetail({
  row: { message, change, index, at: position },
  at,
  as,
  plan,
  onOpen,
  onClose,
}: MessageDetailProps) {
  const { id } = useSession();
  const list = change === "left" ? "left" : "messages";
  const whole = useQuery(contextMessageQueryOf(id, plan === null ? { at, as, list, index } : { plan, list, index }));
  const { text = message.label, chars = message.chars } = whole.data ?? {};
  return (
    <section
      className="flex h-[45%] min-h-35 flex-none flex-col border-t border-line-strong"
      aria-label={position === null ? "Message that left" : `Message ${position}`}
    >
      <div className="flex flex-none items-center gap-2 px-6 py-1.5 text-12">
        <b className="font-semibold">{position === null ? "Left" : `Message ${position}`}</b>
        <span className="text-ink-3">
          {message.role}, {formatTokens(chars)} characters
        </span>
        {message.seqs.length > 0 && (
          <span className="truncate text-ink-3">
            event{message.seqs.length > 1 && "s"} <EventLinks seqs={message.seqs} onOpen={onOpen} most={6} />
          </span>
        )}
        <span className="flex-1" />
        <CopyButton text={() => text}>Copy</CopyButton>
        <IconButton label="Close the message" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </div>
      {whole.error ? (
        <div className="px-6 pb-2">
          <RequestFailure error={whole.error} title="The message could not be read" />
        </div>
      ) : (
        <pre
          className="mono min-h-0 flex-1 overflow-auto px-6 pb-3 wrap-anywhere whitespace-pre-wrap text-ink-2 focus-visible:-outline-offset-2"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <pre> has no role that may have a name
          role="group"
          aria-label="Text of the message"
        >
          <SafeText text={text} badge />
        </pre>
      )}
      {text.length < chars && whole.data && (
        <p className="flex-none px-6 py-1 text-12 text-ink-3">
          First {formatTokens(text.length)} of {formatTokens(chars)} characters shown. The payload has all of them.
        </p>
      )}
    </section>
  );
}
