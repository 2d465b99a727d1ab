"use client";
// Chooses one thing by its words: a field, and what was found below it.
import { useId, type ReactNode } from "react";
import { Loading } from "./loading.tsx";

export type Pick = { readonly id: string; readonly name: ReactNode; readonly about: ReactNode };

type PickListProps = {
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** Null while the first are looked for. */
  found: readonly Pick[] | null;
  /** Said when nothing was found, and while something is looked for. */
  none: ReactNode;
  loading: string;
  onPick: (id: string) => void;
};

export function PickList({ label, placeholder, text, onText, found, none, loading, onPick }: PickListProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="text-15 font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        className="mt-2 block h-7 w-full rounded-2 border border-line-strong bg-raised px-2 hover:border-control"
      />
      {found ? (
        <ul className="mt-2">
          {found.map((one) => (
            <li key={one.id} className="border-b border-line">
              <button
                type="button"
                className="flex h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunk"
                onClick={() => onPick(one.id)}
              >
                <span className="min-w-0 flex-1 truncate">{one.name}</span>
                {one.about}
              </button>
            </li>
          ))}
          {found.length === 0 && <li className="py-2 text-ink-3">{none}</li>}
        </ul>
      ) : (
        <Loading rows={8} label={loading} />
      )}
    </>
  );
}
