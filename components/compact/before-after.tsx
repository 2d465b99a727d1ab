// Before and after on one scale with one load line, and the context in its order by what happens to each part.
import { CATEGORY_NAMES } from "#lib/wire/common-schema.ts";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { formatPercent, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { categoryColor } from "../ui/swatch.tsx";
import { barsOf, hiddenOf, stretchWords, stripOf, totalsOf, type BarPart, type Stretch } from "./compact-view.ts";

type BeforeAfterProps = {
  answer: CompactAnswer;
  calls: readonly LoadCall[];
  line: number | null;
  /** The right end of the scale, in tokens; side by side both have the same. */
  scale: number;
};

/** A little over the largest of them, so that the load line does not stand at the edge. */
export const scaleOf = (totals: readonly number[], line: number | null): number =>
  Math.max(1, ...totals, line ?? 0) * 1.04;

export function BeforeAfter({ answer, calls, line, scale }: BeforeAfterProps) {
  const bars = barsOf(answer, calls);
  const totals = totalsOf(answer, calls);
  const hidden = hiddenOf(calls, answer);
  const at = (tokens: number): string => `${(tokens / scale) * 100}%`;
  const outside = hidden.prefix + hidden.unattributed;
  return (
    <figure
      // Names at the left, tracks at the right; the load line runs down all of them.
      className="relative mt-3 grid grid-cols-[56px_minmax(0,1fr)] items-center gap-y-2 pt-5 text-12 max-md:mr-2"
      aria-label="The context before and after, against the load line"
    >
      <span className="text-ink-2">Before</span>
      <Bar parts={bars.before} at={at} />
      <span className="text-ink-2">After</span>
      <div className="relative">
        <Bar parts={bars.after} at={at} />
        <i
          className="absolute top-2.5 border-t border-dashed border-line-strong"
          style={{ left: at(totals.after), width: at(Math.max(0, totals.before - totals.after)) }}
        />
        <span
          className="absolute top-0.5 ml-2 bg-bg px-1 whitespace-nowrap tabular-nums"
          style={{ left: at(totals.after) }}
        >
          <b className="font-semibold">
            <Num value={totals.after} origin="estimated" />
          </b>
          {line !== null && line > 0 && (
            <span className="text-ink-2 max-sm:hidden"> {formatPercent(totals.after / line)} of the line</span>
          )}
        </span>
      </div>
      <span className="text-ink-2">In order</span>
      <Strip outside={outside} strip={stripOf(answer)} at={at} />
      <span />
      <div className="relative h-4 text-11 text-ink-3 tabular-nums" aria-hidden="true">
        {ticksOf(scale).map((tokens) => (
          <span
            key={tokens}
            className="absolute -translate-x-1/2 whitespace-nowrap first:translate-x-0"
            style={{ left: at(tokens) }}
          >
            {tokens === 0 ? "0" : formatTokens(tokens, true).replace(".0k", "k").replace(".00M", "M")}
          </span>
        ))}
      </div>
      {line !== null && line > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-0 bottom-5 left-14">
          <u className="absolute top-1.5 bottom-0 border-l-[1.5px] border-load no-underline" style={{ left: at(line) }}>
            <span className="absolute -top-[7px] right-3 text-11 font-medium whitespace-nowrap">
              load line {formatTokens(line)}
            </span>
            <svg
              className="absolute -top-[7px] -left-[10.75px]"
              width="20"
              height="14"
              viewBox="-10 -7 20 14"
              aria-hidden="true"
            >
              <circle r="5" fill="var(--bg)" stroke="var(--ink)" strokeWidth="1.5" />
              <path d="M0 -7V7" stroke="var(--load-line)" strokeWidth="1.6" />
            </svg>
          </u>
        </div>
      )}
    </figure>
  );
}

const FATES = {
  kept: "fill-ink-2",
  summarised: "fill-none stroke-ink-2",
  dropped: "fill-transparent stroke-control [stroke-dasharray:2_2]",
};

type StripProps = { outside: number; strip: readonly Stretch[]; at: (tokens: number) => string };

/** Drawn, not laid out: a hundred stretches of a pixel each must not push the others along. */
function Strip({ outside, strip, at }: StripProps) {
  return (
    <svg width="100%" height="12" aria-hidden="true">
      {outside > 0 && <rect className={FATES.kept} x="0" y="0" width={at(outside)} height="12" />}
      {strip.map((stretch) => (
        <g key={stretch.from} className={FATES[stretch.fate]}>
          <title>{stretchWords(stretch)}</title>
          <rect x={at(outside + stretch.start)} y="0.5" width={at(stretch.tokens)} height="11" />
          {stretch.fate === "summarised" && (
            <rect
              className="fill-ink-2 stroke-none"
              x={at(outside + stretch.start)}
              y="6"
              width={at(stretch.tokens)}
              height="6"
            />
          )}
        </g>
      ))}
    </svg>
  );
}

function Bar({ parts, at }: { parts: readonly BarPart[]; at: (tokens: number) => string }) {
  return (
    <div className="flex h-5">
      {parts.map(({ category, tokens }) => (
        <i
          key={category}
          className={`min-w-px flex-none ${category === "unattributed" ? "hatch" : "shadow-[inset_-0.6px_0_var(--bg)]"}`}
          title={`${CATEGORY_NAMES[category]}: ${formatTokens(tokens)} tokens`}
          style={{
            width: at(tokens),
            ...(category === "unattributed" ? {} : { background: categoryColor(category) }),
          }}
        />
      ))}
    </div>
  );
}

/** Three to six round numbers of tokens. */
function ticksOf(scale: number): number[] {
  const step =
    [1, 2, 5]
      .flatMap((digit) => [2, 3, 4, 5, 6].map((zeros) => digit * 10 ** zeros))
      .toSorted((a, b) => a - b)
      .find((one) => scale / one <= 5) ?? scale;
  return Array.from({ length: Math.floor(scale / step) + 1 }, (_, i) => i * step);
}
