"use client";
import { Badge } from "../ui/badge.tsx";
import type { DataColumn } from "../ui/data-table.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { categoryColor, Swatch } from "../ui/swatch.tsx";
import { categoryOf, type MessageRow } from "./context-view.ts";
import { EventLinks } from "../shared/event-links.tsx";

const CHANGE_WORDS = {
  new: "entered since the previous call",
  same: "was here in the call before",
  left: "in the call before, now gone",
};

type MessageColumns = {
  /** Tokens of the heaviest message. */
  readonly most: number;
  readonly onOpen: (seq: number) => void;
  /** Shows a message whole. */
  readonly onShow: (row: MessageRow) => void;
  readonly shown: MessageRow | null;
};

/** One row a message: who speaks, what it begins with, the events that it came from, what it weighs. */
export const messageColumns = ({ most, onOpen, onShow, shown }: MessageColumns): readonly DataColumn<MessageRow>[] => [
  {
    id: "at",
    name: "Place",
    quiet: true,
    width: 40,
    from: 420,
    cell: ({ at }) => <span className="text-12 text-ink-3 tabular-nums">{at}</span>,
  },
  {
    id: "role",
    name: "Role",
    width: 96,
    cell: ({ message }) => (
      <span className="flex items-center gap-1.5">
        <Swatch category={categoryOf(message)} />
        {message.role}
      </span>
    ),
  },
  {
    id: "label",
    name: "Begins with",
    width: 0,
    cell: (row) => {
      const { message, change } = row;
      return (
        <span className="flex min-w-0 items-center gap-2" data-change={change}>
          {change !== "same" && <Badge title={CHANGE_WORDS[change]}>{change}</Badge>}
          {message.isMarked === true && (
            <Badge title="Cache mark: the provider caches everything before it">cache</Badge>
          )}
          {message.sealed && (
            <Badge
              title={`Only the provider can read it: ${formatBytes(message.sealed.bytes)}, ${formatTokens(message.sealed.tokens)} tokens, ${message.sealed.origin}`}
            >
              sealed reasoning, {formatBytes(message.sealed.bytes)}
            </Badge>
          )}
          {message.synthetic && (
            <Badge title="No result is in the log; this one was made so that the provider takes the request">
              made
            </Badge>
          )}
          {message.hasLeft && <Badge title="In the log, but the reported prompt is too small for it">cleared</Badge>}
          <button
            type="button"
            data-opens=""
            aria-pressed={row === shown}
            title="Show the whole message"
            onClick={() => onShow(row)}
            className={`min-w-0 truncate text-left hover:underline ${change === "left" || message.hasLeft ? "text-ink-3 line-through" : ""}`}
          >
            <SafeText text={message.label || "Empty"} />
          </button>
        </span>
      );
    },
  },
  {
    id: "events",
    name: "Events",
    width: 104,
    from: 480,
    cell: ({ message }) => <EventLinks seqs={message.seqs} onOpen={onOpen} most={2} />,
  },
  {
    id: "tokens",
    name: "Tokens",
    width: 84,
    number: true,
    cell: ({ message }) => (
      <span className="pr-1">
        <Num value={message.tokens} origin={message.origin} textTokens={message.textTokens} />
      </span>
    ),
  },
  {
    id: "weight",
    name: "Share of the heaviest",
    quiet: true,
    width: 88,
    from: 640,
    cell: ({ message, change }) => (
      <i
        aria-hidden="true"
        className={`block h-[3px] rounded-[1px] ${change === "left" ? "opacity-40" : ""}`}
        style={{ width: `${(message.tokens / most) * 100}%`, background: categoryColor(categoryOf(message)) }}
      />
    ),
  },
];
