// Credentials of a node of a fleet: those of its own archive, and those that the fleet's database knows. The gate decides at once,
// so what it may need of the database is asked before.
import { isFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import type { Credentials } from "./credentials.ts";
import { isPass } from "#lib/fleet/held/node-list.ts";
import { answerSignIn, type AnswerSignIn } from "./fleet-sign-in.ts";
import { PERSON_COOKIE } from "./person-cookie.ts";
import { fleetPrincipal, type Principal } from "./principal.ts";
import { bearerToken, cookieValues, headerLists } from "./request-head.ts";

export type NodeCredentials = Pick<Credentials, "exchange" | "browserOf" | "bearerOf"> & {
  /** Asks what is not known yet of a request's credentials; null where nothing is to be waited for. */
  readonly prepare?: (rawHeaders: readonly string[]) => Promise<unknown> | null;
  /** Who signed in with this cookie. */
  readonly personOf?: (secret: string) => Principal | null;
  readonly signIn?: AnswerSignIn;
};

/** The same credentials where there is no fleet. */
export function withFleetCredentials(credentials: Credentials, fleet: FleetNode | null): NodeCredentials {
  if (fleet === null) return credentials;
  const { tokens, signIns } = fleet.people;
  /** Who asks, as another node says that passes the request on. */
  const passed = (token: string): Principal | null => {
    const who = fleet.held.readPass(token) as Principal | null;
    return who === null ? null : { ...who, isPassed: true };
  };
  return {
    exchange: credentials.exchange,
    browserOf: credentials.browserOf,
    bearerOf(token) {
      if (isPass(token)) return passed(token);
      if (!isFleetToken(token)) return credentials.bearerOf(token);
      const found = tokens.of(token);
      return found === null ? null : fleetPrincipal("token", found);
    },
    personOf(secret) {
      const found = signIns.of(secret);
      return found === null ? null : fleetPrincipal("person", found);
    },
    prepare(rawHeaders) {
      const headers = headerLists(rawHeaders);
      const token = bearerToken(headers.get("authorization")?.[0] ?? null);
      const [cookie] = cookieValues(headers.get("cookie") ?? [], PERSON_COOKIE);
      const asked = [
        token !== null && isPass(token) ? fleet.held.knowSecret() : null,
        token !== null && isFleetToken(token) ? tokens.prepare(token) : null,
        cookie !== undefined ? signIns.prepare(cookie) : null,
      ].filter((one) => one !== null);
      return asked.length === 0 ? null : Promise.all(asked);
    },
    signIn: answerSignIn(fleet.people),
  };
}
