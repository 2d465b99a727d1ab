"use client";
// Dropped files on their way, and those that were refused.
import { X } from "lucide-react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { forgetRefusals, useUploads } from "../shared/import-state.ts";
import { IconButton } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

export function UploadsPanel() {
  const { upload, refused } = useUploads();
  return (
    <section
      aria-label="Dropped files"
      className="appear fixed right-6 bottom-11 z-30 flex max-h-80 w-100 max-w-[calc(100vw-48px)] flex-col gap-3 overflow-y-auto rounded-2 bg-raised p-3 shadow-float"
    >
      {upload !== null && (
        <p className="truncate text-12 text-ink-2">
          <output>Sending {formatCount(upload.of, "file")}</output>: <SafeText text={upload.name} />, {upload.index} of{" "}
          {upload.of}
        </p>
      )}
      {refused.map((refusal, index) => (
        // eslint-disable-next-line react/no-array-index-key -- the list only grows at its end, and names repeat
        <Failure key={index} code={refusal.code} title={`${shownText(refusal.name)}: not done`}>
          <SafeText text={refusal.message} />
        </Failure>
      ))}
      {refused.length > 0 && (
        <IconButton label="Close" onClick={forgetRefusals} className="absolute top-2 right-2">
          <X size={14} aria-hidden="true" />
        </IconButton>
      )}
    </section>
  );
}
