// The session that a tool is asked about: its own, the one that is named, or the one that was active last.
import { z } from "zod";
import { findSession, LATEST, sessionIdOf } from "#lib/archive/base/find-session.ts";
import { isNameOf } from "#lib/archive/sessions/in-session.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { ToolContext } from "./define-tool.ts";

export const sessionRef = z
  .string()
  .min(1)
  .max(400)
  .optional()
  .describe(`Id of the session, or the beginning of one; "${LATEST}" (the default) is the one that was active last`);

/** The id of a session. Who is bound to one sees no other, by whatever name. Fails with `not_found`. */
export async function sessionOf({ archive, session }: ToolContext, name: string = LATEST): Promise<string> {
  if (session !== null) {
    if (name === LATEST || isNameOf(archive, session, name)) return session;
    return fail("not_found", "There is no such session, or this token does not see it.");
  }
  return sessionIdOf(archive, findSession(archive, name))!;
}
