"use client";
import { useEffect, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Mark } from "../ui/mark.tsx";
import { X } from "lucide-react";
import { SafeText } from "../ui/safe-text.tsx";
import { forgetRefusals, itemsOf, refuseFolders, uploadFiles, useUploads } from "../shared/import-state.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** Session files may be dropped anywhere on any page. */
export function Dropped() {
  const [over, setOver] = useState(false);
  useEffect(() => listenForDrops(setOver), []);
  return (
    <>
      {over && (
        <div className="appear pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-3 border border-dashed border-control bg-bg/90">
          <div className="text-center">
            <div className="grid place-items-center text-ink-3">
              <Mark height={36} />
            </div>
            <p className="mt-2 font-semibold">Drop session files to read them</p>
          </div>
        </div>
      )}
      <Refused />
    </>
  );
}

function listenForDrops(setOver: (over: boolean) => void): () => void {
  const end = new AbortController();
  // Moving over a child leaves its parent: only as many leaves as enters mean that the files have gone.
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const on = (type: "dragenter" | "dragover" | "dragleave" | "drop", run: (event: DragEvent) => void) =>
    window.addEventListener(type, (event) => hasFiles(event) && run(event), { signal: end.signal });
  on("dragenter", () => {
    depth += 1;
    setOver(true);
  });
  on("dragover", (event) => event.preventDefault());
  on("dragleave", () => {
    depth -= 1;
    if (depth <= 0) setOver(false);
  });
  on("drop", (event) => {
    event.preventDefault();
    depth = 0;
    setOver(false);
    if (!event.dataTransfer) return;
    const { files, folders } = itemsOf(event.dataTransfer);
    if (folders.length > 0) refuseFolders(folders);
    void uploadFiles(files);
  });
  return () => end.abort();
}

function Refused() {
  const { upload, refused } = useUploads();
  if (upload === null && refused.length === 0) return null;
  return (
    <section
      aria-label="Dropped files"
      className="appear fixed right-6 bottom-11 z-30 flex max-h-80 w-100 max-w-[calc(100vw-48px)] flex-col gap-3 overflow-y-auto rounded-2 bg-raised p-3 shadow-float"
    >
      {upload !== null && (
        <output className="truncate text-12 text-ink-2">
          Sending <SafeText text={upload.name} />, {upload.index} of {upload.of}
        </output>
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
