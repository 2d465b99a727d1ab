// What a page is about: the page that says "not found" stands where the archive has no such thing, or whoever asks may not see it.
import { notFound } from "next/navigation";
import { withDigest } from "#lib/kernel/error-digest.ts";
import { isAppError } from "#lib/kernel/errors.ts";

export async function orNotFound<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "not_found") notFound();
    // A part of a fleet that is away: the page that says so has its words.
    throw withDigest(error);
  }
}
