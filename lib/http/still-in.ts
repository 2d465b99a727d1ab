// Whether whoever began a long answer may still have it: of a fleet as its database has it, a few seconds old at most.
import { isTokenLive } from "#lib/archive/settings/access-tokens.ts";
import { isFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import type { Call } from "./endpoint.ts";
import { PERSON_COOKIE } from "./person-cookie.ts";
import { tokenIdOf } from "./principal.ts";
import { bearerToken, cookieValues, headerLists } from "./request-head.ts";

/** For an answer that has all projects: of a fleet it is for its admins alone. */
export async function isStillIn({
  app: { fleet },
  archive,
  request,
  principal,
}: Pick<Call, "app" | "archive" | "request" | "principal">): Promise<boolean> {
  const headers = headerLists(request.rawHeaders);
  const bearer = bearerToken(headers.get("authorization")?.[0] ?? null) ?? "";
  const isPerson = principal.kind === "person";
  if (!isPerson && principal.kind !== "token") return true;
  if (!isPerson && !isFleetToken(bearer)) return isTokenLive(archive, tokenIdOf(principal));
  const secret = isPerson ? (cookieValues(headers.get("cookie") ?? [], PERSON_COOKIE)[0] ?? "") : bearer;
  const known = isPerson ? fleet?.people.signIns : fleet?.people.tokens;
  await known?.prepare(secret);
  return known?.of(secret)?.access === "all";
}
