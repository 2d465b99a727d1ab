// What a page is about: the page that says "not found" stands where the archive has no such thing, or whoever asks may not see it.
import { notFound } from "next/navigation";
import { isAppError } from "#lib/kernel/errors.ts";

export async function orNotFound<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "not_found") notFound();
    // A name that several have, or a part of a fleet that is away. In production React sends no message of an error, but its digest:
    // error.tsx shows its words.
    throw Object.assign(error, { digest: error.message });
  }
}
