import { formatTokens } from "../ui/format.ts";
import type { ViewProps } from "./view.ts";

/** Where the conversation went on from an earlier prompt: the prompts around it, and which events left the context. */
export function RewindEvent({ event: { sizes, rewound } }: ViewProps<"rewind">) {
  const before = sizes?.before ?? null;
  const after = sizes?.after ?? null;
  return (
    <div className="py-1">
      <p className="flex flex-wrap items-center gap-x-2 text-12 text-ink-2">
        <b className="font-medium whitespace-nowrap text-ink">
          rewound
          {before !== null &&
            ` ${formatTokens(before, true)}${after === null ? "" : ` → ${formatTokens(after, true)}`}`}
        </b>
        {rewound != null && (
          <span>
            {rewound.from === rewound.to ? `event ${rewound.from}` : `events ${rewound.from}–${rewound.to}`} left the
            context
          </span>
        )}
        <i className="flex-1 border-t border-dashed border-line-strong" aria-hidden="true" />
      </p>
    </div>
  );
}
