"use client";

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly { readonly value: Value; readonly label: string }[];
  onPick: (value: Value) => void;
};

/** One of a few, side by side. */
export function Segmented<Value extends string>({ label, value, options, onPick }: SegmentedProps<Value>) {
  return (
    <fieldset className="inline-flex max-w-full flex-none flex-wrap overflow-clip rounded-2 border border-line-strong bg-raised">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
          className="h-5.5 px-2 text-12 whitespace-nowrap text-ink-2 -ml-px border-l border-line focus-visible:-outline-offset-2 aria-pressed:bg-select aria-pressed:font-medium aria-pressed:text-ink"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
