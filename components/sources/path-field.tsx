import type { RefObject } from "react";

type PathFieldProps = {
  label: string;
  example: string;
  value: string;
  onChange: (path: string) => void;
  field: RefObject<HTMLInputElement | null>;
};

/** Where something lies on the machine that the server runs on. */
export function PathField({ label, example, value, onChange, field }: PathFieldProps) {
  return (
    <label className="block text-12 text-ink-2">
      {label}
      <input
        ref={field}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder={example}
        spellCheck={false}
        autoComplete="off"
        className="mono mt-1 block h-8 w-full rounded-2 border border-line-strong bg-raised px-2 text-ink"
      />
    </label>
  );
}
