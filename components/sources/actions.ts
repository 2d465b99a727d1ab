"use client";
// Adding a folder to what is watched, and taking it off again; attaching the memory folder of an agent, and letting it go.
import { z } from "zod";
import { attachedAnswer, detachedAnswer, type AttachedAnswer } from "#lib/wire/attached-schema.ts";
import { send, withQuery } from "../ui/api.ts";

export async function addFolder(path: string): Promise<void> {
  await send("POST", "/api/sources", z.unknown(), { path });
}

/** What was read from it stays; it is only no longer watched. */
export async function removeFolder(path: string): Promise<void> {
  await send("DELETE", withQuery("/api/sources", { path }), z.unknown());
}

/** Reset and deleted transcripts of a folder are read, or no longer. */
export async function readArchived({ path, on }: { path: string; on: boolean }): Promise<void> {
  await send("PUT", "/api/sources/archived", z.unknown(), { path, on });
}

export const attachFolder = (path: string): Promise<AttachedAnswer> =>
  send("POST", "/api/attached", attachedAnswer, { path });

/** Reads what its agent wrote since. */
export const refreshFolder = (sessionId: string): Promise<AttachedAnswer> =>
  send("POST", `/api/attached/${sessionId}/refresh`, attachedAnswer, {});

/** Folder and session stay as they are; the session follows the folder no more. */
export async function detachFolder(sessionId: string): Promise<void> {
  await send("DELETE", `/api/attached/${sessionId}`, detachedAnswer);
}
