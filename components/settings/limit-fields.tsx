"use client";
// The fields of a limit: an age in days, a size in bytes. Empty is no limit.
import { Field, TextInput } from "../ui/field.tsx";
import { bytesOf, daysOf } from "./typed-limits.ts";

type LimitFieldProps = { label: string; about: string; value: string; onChange: (typed: string) => void };

export function DaysField({ label, about, value, onChange }: LimitFieldProps) {
  const wrong = daysOf(value) === "unknown" ? "A whole number of days, at least 1." : null;
  return (
    <Field label={label} unit="days" standard="none" about={about} wrong={wrong}>
      {(props) => (
        <TextInput
          {...props}
          inputMode="numeric"
          placeholder="none"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export function SizeField({ label, about, value, onChange }: LimitFieldProps) {
  const wrong = bytesOf(value) === "unknown" ? "A size such as 500 MB or 20 GB." : null;
  return (
    <Field label={label} standard="none" about={about} wrong={wrong}>
      {(props) => (
        <TextInput
          {...props}
          placeholder="none, or 20 GB"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
