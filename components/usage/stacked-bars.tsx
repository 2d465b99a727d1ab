"use client";
// Stacked bars over time. Bars are SVG; the legend beside them is the read-out of the bar under the hand, or of all.
import { useState, type ReactNode } from "react";
import { leastUsd } from "#lib/kernel/load/load-labels.ts";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { useWidth } from "../ui/use-width.ts";
import type { UsageGroup } from "#lib/wire/usage-schema.ts";
import { axisTicks, groupName, periodName, type Measure, type Stack } from "./usage-series.ts";

type StackedBarsProps = {
  stack: Stack;
  measure: Measure;
  by: UsageGroup;
  height: number;
  /** What all bars together are called in the legend: `all days`. */
  whole: string;
  /** Where a bar leads; without it bars are still. */
  hrefOf?: ((period: string) => string) | undefined;
};

const AXIS = { right: 52, bottom: 22, top: 8 };
const LABEL_PX = 64;

const measured = (value: number, measure: Measure, isPartial: boolean): string =>
  measure === "cost" ? (leastUsd(value, isPartial) ?? "–") : formatTokens(value, true);

const onAxis = (value: number, measure: Measure): string =>
  measure === "tokens"
    ? formatTokens(value, true)
    : `$${Number.isInteger(value) ? value.toLocaleString("en-US") : value.toFixed(2)}`;

export function StackedBars({ stack, measure, by, height, whole, hrefOf }: StackedBarsProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  const { bars, series } = stack;
  const inner = { width: Math.max(0, width - AXIS.right), height: height - AXIS.bottom - AXIS.top };
  const most = Math.max(0, ...bars.map(({ total }) => total));
  const ticks = axisTicks(most);
  const top = Math.max(most * 1.06, ticks.at(-1) ?? 0, 1e-9);
  const y = (value: number): number => AXIS.top + inner.height * (1 - value / top);
  const slot = bars.length === 0 ? 0 : inner.width / bars.length;
  // Positions are shares of the width, so that the first bytes of a page show all bars before any script has measured it.
  const share = bars.length === 0 ? 0 : 100 / bars.length;
  const barShare = slot === 0 ? 74 : Math.min(74, 5600 / slot);
  const every = Math.max(1, Math.ceil(LABEL_PX / Math.max(slot, 1)));
  const shown = hovered === null ? null : (bars[hovered] ?? null);
  // Half of a label has 3.3 px a letter at most ("11 Nov": 3.06): the first one of narrow bars stands inside the margin.
  const margin = bars.length === 0 ? 0 : 3.3 * periodName(bars[0]!.period).length;
  return (
    <div className="flex gap-6 max-md:flex-col max-md:gap-3">
      <div ref={box} className="min-w-0 flex-1" style={{ paddingRight: AXIS.right }}>
        <svg
          width="100%"
          height={height}
          aria-hidden="true"
          className="block overflow-visible select-none"
          onPointerMove={(event) => {
            const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
            const at = Math.floor(x / slot);
            setHovered(at >= 0 && at < bars.length ? at : null);
          }}
          onPointerLeave={() => setHovered(null)}
        >
          <defs>
            <pattern id="other-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="2" height="4" fill="var(--c-unattr)" />
            </pattern>
          </defs>
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={0}
                x2="100%"
                y1={y(tick)}
                y2={y(tick)}
                stroke={tick === 0 ? "var(--line-strong)" : "var(--line)"}
              />
              <text x="100%" dx={8} y={y(tick) + 4} className="text-11 tabular-nums" fill="var(--ink-3)">
                {onAxis(tick, measure)}
              </text>
            </g>
          ))}
          {bars.map((bar, i) => (
            <BarGroup key={bar.period} href={hrefOf?.(bar.period)}>
              <rect
                x={`${i * share}%`}
                y={AXIS.top}
                width={`${share}%`}
                height={inner.height}
                fill={hovered === i ? "var(--bg-sunk)" : "transparent"}
              />
              {segmentsOf(bar.values).map(({ from, to, series: at }) => (
                <rect
                  key={at}
                  x={`${share * (i + 0.5 - barShare / 200)}%`}
                  y={y(to)}
                  width={`${(share * barShare) / 100}%`}
                  height={Math.max(0, y(from) - y(to) - (from > 0 ? 0.6 : 0))}
                  fill={series[at]?.color ?? "url(#other-hatch)"}
                />
              ))}
              {i % every === 0 && slot * (bars.length - i) > LABEL_PX / 2 && (
                <text
                  x={i > 0 || slot / 2 >= margin ? `${share * (i + 0.5)}%` : margin}
                  y={height - 6}
                  textAnchor="middle"
                  className="text-11"
                  fill="var(--ink-3)"
                >
                  {periodName(bar.period)}
                </text>
              )}
            </BarGroup>
          ))}
        </svg>
      </div>
      <div className="w-52 flex-none text-12 max-md:w-auto">
        <p className="mb-1 flex border-b border-line-strong pb-1 font-medium">
          <span className="flex-1">{shown === null ? whole : periodName(shown.period)}</span>
          <span className="tabular-nums">
            {measured(shown?.total ?? stack.total, measure, stack.isPartial(shown?.period))}
          </span>
        </p>
        <ul>
          {series.map(({ name, color, total }, at) => (
            <li key={name} className="flex items-center gap-2 py-px leading-5">
              <span
                aria-hidden="true"
                className={`size-2.5 flex-none rounded-[2px] ${color === null ? "hatch" : ""}`}
                style={color === null ? undefined : { background: color }}
              />
              <span className="min-w-0 flex-1 truncate text-ink-2" title={name}>
                <SafeText text={groupName(name, by, series)} />
              </span>
              <span className="tabular-nums">
                {measured(
                  shown === null ? total : (shown.values[at] ?? 0),
                  measure,
                  stack.isPartial(shown?.period, at),
                )}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function BarGroup({ href, children }: { href: string | undefined; children: ReactNode }) {
  // The table below has the same links for the keyboard.
  return href === undefined ? (
    <g>{children}</g>
  ) : (
    <a href={href} tabIndex={-1}>
      {children}
    </a>
  );
}

function segmentsOf(values: readonly number[]): { from: number; to: number; series: number }[] {
  let at = 0;
  return values.flatMap((value, series) => {
    const from = at;
    at += value;
    return value > 0 ? [{ from, to: at, series }] : [];
  });
}
