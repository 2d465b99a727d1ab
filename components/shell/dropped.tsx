"use client";
import { useEffect, useState } from "react";
import { fetched } from "../ui/fetched.tsx";
import { itemsOf, refuseFolders, uploadFiles, useUploads } from "../shared/import-state.ts";

const DropOverlay = fetched(() => import("./drop-overlay.tsx").then((module) => module.DropOverlay));
const UploadsPanel = fetched(() => import("./uploads-panel.tsx").then((module) => module.UploadsPanel));

/** Session files may be dropped anywhere on any page. */
export function Dropped() {
  const [over, setOver] = useState(false);
  const { upload, refused } = useUploads();
  useEffect(() => listenForDrops(setOver), []);
  return (
    <>
      {over && <DropOverlay />}
      {(upload !== null || refused.length > 0) && <UploadsPanel />}
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
