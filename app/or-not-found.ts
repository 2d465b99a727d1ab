// What a page is about: the page that says "not found" stands where the archive has no such thing, or whoever asks may not see it.
import { notFound } from "next/navigation";
import { isAppError } from "#lib/kernel/errors.ts";

export async function orNotFound<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") notFound();
    throw error;
  }
}
