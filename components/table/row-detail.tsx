"use client";
// The chosen row as a list of its fields, each whole.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { IconButton } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { KIND } from "./table-store.ts";
import type { TableClient } from "./table-client.ts";
import type { Field } from "./table-words.ts";

/** Characters of a field before it is asked for whole: 1 MB takes 0.1 s to lay out. */
const FIELD_CHARS = 4000;

type RowDetailProps = {
  client: TableClient;
  row: number;
  version: number;
  renderBelow?: ((row: number, fields: readonly Field[]) => ReactNode) | undefined;
  onClose: () => void;
};

export function RowDetail({ client, row, version, renderBelow, onClose }: RowDetailProps) {
  const { data, error } = useQuery({
    // A client is one text, which never changes; its rows stand in another order after each version.
    queryKey: ["table-row", client.id, row, version],
    queryFn: () => client.row(row),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
    placeholderData: (before) => before,
  });
  return (
    <section
      aria-label={`Row ${row + 1}`}
      className="flex max-h-[45%] min-h-24 flex-none flex-col border-t border-line-strong"
    >
      <header className="flex flex-none items-center gap-2 px-6 py-1 max-md:px-4">
        <h2 className="text-13 font-semibold">Row {(row + 1).toLocaleString("en-US")}</h2>
        <span className="text-12 text-ink-3">
          {data && formatCount(data.fields.length, "field")}
          {data?.index === -1 && ", which the filters leave out"}
        </span>
        <span className="flex-1" />
        {data && <CopyButton text={() => data.json}>Copy as JSON</CopyButton>}
        <IconButton label="Close the row" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </header>
      {error ? (
        <div className="px-6 pb-3">
          <RequestFailure error={error} title="This row could not be read" />
        </div>
      ) : (
        <dl
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="grid min-h-0 flex-1 auto-rows-min grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1 overflow-auto px-6 pb-3 focus-visible:-outline-offset-2 max-md:px-4"
        >
          {data?.fields.map((field) => (
            <FieldRow key={field.name} field={field} />
          ))}
        </dl>
      )}
      {data && renderBelow?.(row, data.fields)}
    </section>
  );
}

function FieldRow({ field: { name, text, kind } }: { field: Field }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, FIELD_CHARS);
  return (
    <>
      <dt className="max-w-60 text-12 leading-[18px] break-words text-ink-3">
        <SafeText text={name} />
      </dt>
      <dd className={`mono min-w-0 break-words whitespace-pre-wrap ${kind === KIND.null ? "text-ink-3" : ""}`}>
        <SafeText text={shown} badge />
        {shown.length < text.length && (
          <span className="font-sans text-12 text-ink-3">
            {" "}
            … first {FIELD_CHARS.toLocaleString("en-US")} of {text.length.toLocaleString("en-US")} characters.{" "}
            <button type="button" className="link" onClick={() => setWhole(true)}>
              Show all
            </button>
          </span>
        )}
      </dd>
    </>
  );
}
