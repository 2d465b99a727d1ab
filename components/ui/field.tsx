"use client";
import { useId, type ComponentProps, type ReactNode } from "react";

type FieldProps = {
  label: string;
  /** What the value does, in a sentence. */
  about?: ReactNode;
  /** The value that holds when nothing is set. */
  standard?: string;
  /** Why it cannot be saved as it is. */
  wrong?: string | null;
  unit?: string;
  children: (props: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactNode;
};

/** A value with its name on the left and what it does on the right. */
export function Field({ label, about, standard, wrong = null, unit, children }: FieldProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[170px_210px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 border-b border-line py-1.5 max-lg:grid-cols-1">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      <span className="flex items-baseline gap-2">
        {children({ id, "aria-describedby": `${id}-about`, "aria-invalid": wrong !== null })}
        {unit !== undefined && <span className="min-w-9 flex-none text-12 text-ink-3">{unit}</span>}
      </span>
      <span id={`${id}-about`} className={`text-12 ${wrong === null ? "text-ink-3" : "font-medium text-ink"}`}>
        {wrong ?? about}
        {wrong === null && standard !== undefined && <span className="whitespace-nowrap"> Default: {standard}.</span>}
      </span>
    </div>
  );
}

const BOX =
  "h-7 min-w-0 rounded-2 border border-line-strong bg-raised px-2 text-13 text-ink hover:border-control aria-invalid:border-ink";

export function TextInput({ className = "", ...rest }: ComponentProps<"input">) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={`${BOX} w-full flex-1 tabular-nums ${className}`}
    />
  );
}

export function Choice({ children, ...rest }: ComponentProps<"select">) {
  return (
    <select {...rest} className={`${BOX} w-full flex-1`}>
      {children}
    </select>
  );
}

type OptionsProps<Value extends string> = { values: readonly Value[]; labelOf?: (value: Value) => string };

/** What a choice or a list of suggestions offers. */
export function Options<Value extends string>({ values, labelOf = (value) => value }: OptionsProps<Value>) {
  return values.map((one) => (
    <option key={one} value={one}>
      {labelOf(one)}
    </option>
  ));
}

type CheckProps = {
  id: string;
  "aria-describedby": string;
  checked: boolean;
  onChange: (isOn: boolean) => void;
};

export function Check({ id, "aria-describedby": about, checked, onChange }: CheckProps) {
  return (
    <input
      id={id}
      aria-describedby={about}
      type="checkbox"
      className="relative top-0.5 size-3.5 accent-ink"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
