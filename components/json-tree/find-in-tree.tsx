"use client";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { SearchField } from "../ui/search-field.tsx";
import type { Finder } from "./use-find.ts";

/** The line above a tree or a text: search in it, and what else is given. Enter goes on, Shift+Enter back. */
export function FindBar({ finder, children }: { finder: Finder; children?: ReactNode }) {
  const { sought, found, setQuery, setExact, next, back } = finder;
  return (
    <div className="flex flex-none flex-wrap items-center gap-1.5 border-b border-line px-6 py-1.5 text-12 max-md:px-4">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys that come from the field in it */}
      <search
        className="flex flex-wrap items-center gap-1.5"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
          event.preventDefault();
          if (event.shiftKey) back();
          else next();
        }}
      >
        <SearchField label="Find keys and values" value={sought.q} onChange={setQuery} found={found} group="JSON" />
        <span className="inline-flex gap-1.5">
          <IconButton label="The one before (Shift+Enter)" disabled={sought.q === ""} onClick={back}>
            <ArrowUp size={14} aria-hidden="true" />
          </IconButton>
          <IconButton label="The next one (Enter)" disabled={sought.q === ""} onClick={next}>
            <ArrowDown size={14} aria-hidden="true" />
          </IconButton>
        </span>
        <Button
          small
          kind="quiet"
          aria-pressed={sought.exact}
          title="Small and large letters differ"
          className="aria-pressed:bg-select"
          onClick={() => setExact(!sought.exact)}
        >
          Aa
        </Button>
      </search>
      <span className="flex-1" />
      {children}
    </div>
  );
}
