// The e-mail address of a person: one person has one, however it is written.
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { EMAIL_CHARS } from "#lib/wire/fleet-people-schema.ts";

/** The address as it is kept. */
export function emailOf(text: string): string {
  const email = z.email().max(EMAIL_CHARS).safeParse(text.trim().toLowerCase());
  return email.success ? email.data : fail("invalid", `"${text.slice(0, 80)}" is not an e-mail address.`);
}
