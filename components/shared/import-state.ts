"use client";
// What a person asks of the importer: paths, dropped files, the demo, a stop. Progress comes over the
// stream of changes; what was refused is kept here until it has been read.
import { useSyncExternalStore } from "react";
import { z } from "zod";
import { AppError } from "#lib/kernel/errors.ts";
import { sourcesAnswer } from "#lib/wire/sources-schema.ts";
import { api, failureOf, send, withQuery } from "../ui/api.ts";
import { onChange } from "../ui/live.tsx";

type Refusal = { readonly name: string; readonly code: string; readonly message: string };
type Upload = { readonly name: string; readonly index: number; readonly of: number };

// Progress is told five times a second.
const SILENCE_MS = 3000;

type State = { readonly upload: Upload | null; readonly refused: readonly Refusal[] };

let state: State = { upload: null, refused: [] };
const watchers = new Set<() => void>();

export function useUploads(): State {
  return useSyncExternalStore(
    (notify) => {
      watchers.add(notify);
      return () => watchers.delete(notify);
    },
    () => state,
    () => state,
  );
}

function set(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const notify of watchers) notify();
}

export function forgetRefusals(): void {
  set({ refused: [] });
}

/** What came in a drop: files, and the names of folders, which a browser hands over without their path. */
export type DroppedItems = { readonly files: readonly File[]; readonly folders: readonly string[] };

export function itemsOf(transfer: DataTransfer): DroppedItems {
  const folders = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry?.isDirectory);
  const names = folders.map((folder) => folder?.name ?? "");
  return { files: [...transfer.files].filter((file) => !names.includes(file.name)), folders: names };
}

/** Says why dropped folders are not read: sub-agents are known by where their files lie. */
export function refuseFolders(folders: readonly string[]): void {
  const message = "A browser does not say where a folder lies. Add it by its path, on the sources page.";
  set({ refused: [...state.refused, ...folders.map((name) => ({ name, code: "unsupported", message }))] });
}

/** Sends dropped files one after the other, bytes as they are; each is read like a file that was found. */
export async function uploadFiles(files: readonly File[]): Promise<void> {
  for (const [at, file] of files.entries()) {
    set({ upload: { name: file.name, index: at + 1, of: files.length } });
    await noted(file.name, () => upload(file));
  }
  set({ upload: null });
}

const sent = z.object({ id: z.string(), path: z.string() });

async function upload(file: File): Promise<void> {
  const { id, path } = await api(`/api/upload?name=${encodeURIComponent(file.name)}`, sent, {
    method: "PUT",
    body: file,
    headers: { "content-type": "application/octet-stream" },
  });
  await importEnded(id);
  const { sources } = await api(withQuery("/api/sources", { q: path, limit: 1 }), sourcesAnswer);
  const source = sources.find((row) => row.path === path);
  if (source && source.status !== "ok" && source.reason !== null) throw new AppError("unsupported", source.reason);
}

/** Resolves when an import has ended, or when nothing was heard of it for a while: then the status line tells. */
function importEnded(id: string): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = onChange((heard) => {
      if (heard.type !== "import" || heard.progress.id !== id) return;
      if (heard.progress.state === "running") wait();
      else end();
    });
    const end = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS);
    };
    wait();
  });
}

export async function importPaths(paths: readonly string[]): Promise<void> {
  await send("POST", "/api/imports", z.unknown(), { paths });
}

export async function loadDemo(): Promise<void> {
  await noted("The demo", () => send("POST", "/api/demo", z.unknown(), {}));
}

export async function cancelImport(id: string): Promise<void> {
  await noted("Cancel", () => send("DELETE", `/api/imports/${encodeURIComponent(id)}`, z.unknown()));
}

export async function retryImport(id: string): Promise<void> {
  await noted("Retry", () => send("POST", `/api/imports/${encodeURIComponent(id)}`, z.unknown(), {}));
}

async function noted(name: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    set({ refused: [...state.refused, { name, ...failureOf(error) }] });
  }
}
