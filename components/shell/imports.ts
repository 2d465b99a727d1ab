"use client";
// What a person asks of the importer: paths, dropped files, the demo, a stop. Progress comes over the
// stream of changes; what was refused is kept here until it has been read.
import { useSyncExternalStore } from "react";
import { z } from "zod";
import { failureOf, reach, send } from "../ui/api.ts";

export type Refusal = { readonly name: string; readonly code: string; readonly message: string };
export type Upload = { readonly name: string; readonly index: number; readonly of: number };

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

/** Sends dropped files one after the other, bytes as they are; each is read like a file that was found. */
export async function uploadFiles(files: readonly File[]): Promise<void> {
  for (const [at, file] of files.entries()) {
    set({ upload: { name: file.name, index: at + 1, of: files.length } });
    await noted(file.name, () =>
      reach(`/api/upload?name=${encodeURIComponent(file.name)}`, {
        method: "PUT",
        body: file,
        headers: { "content-type": "application/octet-stream" },
      }),
    );
  }
  set({ upload: null });
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

async function noted(name: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    set({ refused: [...state.refused, { name, ...failureOf(error) }] });
  }
}
