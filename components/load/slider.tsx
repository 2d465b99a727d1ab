"use client";
// One number of a policy. It moves between stops, because 500 and 20,000 tokens have to fit on one line.
import { useId } from "react";
import { stopOf, type OrOff } from "../shared/policy-state.ts";
import "./slider.css";

export type SliderOf = {
  readonly label: string;
  readonly stops: readonly OrOff[];
  readonly words: (value: OrOff) => string;
};

type SliderProps = {
  of: SliderOf;
  value: OrOff;
  onPick: (value: OrOff) => void;
  /** Why it moves nothing now. */
  idle?: string;
};

export function Slider({ of, value, onPick, idle }: SliderProps) {
  const id = useId();
  const last = of.stops.length - 1;
  const at = stopOf(of.stops, value);
  const words = of.words(value);
  return (
    <div className="mt-2.5" title={idle}>
      <div className="flex items-baseline justify-between gap-2 text-12">
        <label htmlFor={id} className="text-ink-2">
          {of.label}
        </label>
        <span className={`tabular-nums ${idle === undefined ? "font-medium" : "text-ink-3"}`}>{words}</span>
      </div>
      <input
        id={id}
        type="range"
        className="slider"
        min={0}
        max={last}
        step={1}
        value={at}
        disabled={idle !== undefined}
        aria-valuetext={words}
        style={{ "--at": `${(at / last) * 100}%` } as React.CSSProperties}
        onChange={(event) => {
          const stop = of.stops[Number(event.target.value)];
          if (stop !== undefined) onPick(stop);
        }}
      />
    </div>
  );
}
