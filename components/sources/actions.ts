"use client";
// Adding a folder to what is watched, and taking it off again.
import { z } from "zod";
import { send, withQuery } from "../ui/api.ts";

export async function addFolder(path: string): Promise<void> {
  await send("POST", "/api/sources", z.unknown(), { path });
}

/** What was read from it stays; it is only no longer watched. */
export async function removeFolder(path: string): Promise<void> {
  await send("DELETE", withQuery("/api/sources", { path }), z.unknown());
}
