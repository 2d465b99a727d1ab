// What answers below /sign-in on a node of a fleet: the page, the way to the identity provider and back, links, and signing out.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAppError } from "#lib/kernel/errors.ts";
import type { NodePeople } from "#lib/fleet/people/node-people.ts";
import { ATTEMPT_MINUTES, PERSON_DAYS } from "#lib/fleet/people/sign-ins.ts";
import { onwardPage } from "./pages.ts";
import { cookieValues, headerLists } from "./request-head.ts";
import { PERSON_COOKIE } from "./person-cookie.ts";
import { SIGN_IN_POLICY, signInHtml } from "./sign-in-page.ts";

/** Of a browser that is at its identity provider. Sent along when it comes back from another site. */
const ATTEMPT_COOKIE = "plimsoll_sign_in";

export type SignInRequest = {
  readonly path: string;
  readonly query: URLSearchParams;
  /** As browsers see this server, without a slash at its end. */
  readonly origin: string;
  /** This browser came by the link that the node prints. */
  readonly isByNode: boolean;
};

export type AnswerSignIn = (request: IncomingMessage, response: ServerResponse, at: SignInRequest) => Promise<void>;

export function answerSignIn(people: NodePeople): AnswerSignIn {
  const { provider } = people;

  return async (request, response, { path, query, origin, isByNode }) => {
    const cookies = headerLists(request.rawHeaders).get("cookie") ?? [];
    const secret = cookieValues(cookies, PERSON_COOKIE)[0] ?? null;
    const to = localPath(query.get("to"));
    const redirect = `${origin}/sign-in/callback`;
    const set = (name: string, value: string, seconds: number, more: string): void => {
      const secure = origin.startsWith("https:") ? "; Secure" : "";
      response.appendHeader("Set-Cookie", `${name}=${value}; HttpOnly; Max-Age=${seconds}${more}${secure}`);
    };
    const keep = (value: string): void => set(PERSON_COOKIE, value, PERSON_DAYS * 86_400, "; Path=/; SameSite=Strict");
    const page = (status: number, problem: string | null, going = to): void => {
      const found = secret === null ? null : people.signIns.of(secret);
      const person =
        found === null
          ? null
          : {
              email: found.id.slice("person:".length),
              isAdmin: found.access === "all",
              roles: found.access === "all" ? [] : Object.entries(found.access).map((row) => row.join(" ")),
            };
      send(response, status, signInHtml({ person, isByNode, provider: provider?.label ?? null, to: going, problem }));
    };

    try {
      if (path === "/sign-in") return page(200, null);
      if (path === "/sign-in/out") {
        if (secret !== null) await people.signOut(secret);
        set(PERSON_COOKIE, "", 0, "; Path=/; SameSite=Strict");
        return redirectTo(response, 303, "/sign-in");
      }
      if (path === "/sign-in/start" && provider !== null) {
        const { url, ...checks } = await provider.begin(redirect);
        const attempt = await people.beginAttempt({ ...checks, location: to });
        set(ATTEMPT_COOKIE, attempt, ATTEMPT_MINUTES * 60, "; Path=/sign-in; SameSite=Lax");
        return redirectTo(response, 302, url);
      }
      if (path === "/sign-in/callback" && provider !== null) {
        const cookie = cookieValues(cookies, ATTEMPT_COOKIE)[0];
        const attempt = cookie === undefined ? null : await people.takeAttempt(cookie);
        set(ATTEMPT_COOKIE, "", 0, "; Path=/sign-in; SameSite=Lax");
        if (attempt === null) return page(400, "This browser did not begin here, or too long ago. Begin again.", "/");
        const vouched = await provider.finish(new URL(`${redirect}?${query.toString()}`), attempt);
        keep(await people.signIn(vouched));
        // From another site: only a page of ours sends the cookie along.
        return send(response, 200, onwardPage(attempt.location));
      }
      if (path === "/sign-in/link") {
        // A program that shows what is behind a link must not use it up.
        if (request.headers["sec-fetch-mode"] !== "navigate") return page(200, "Open this link in a browser.", "/");
        const made = await people.redeemLink(query.get("token") ?? "");
        if (made === null) return page(401, "This link was used, or is too old. Ask an admin for a new one.", "/");
        keep(made);
        return send(response, 200, onwardPage("/"));
      }
      page(404, "There is no such page.", "/");
    } catch (error) {
      if (!isAppError(error)) throw error;
      page(error.code === "timeout" ? 504 : 403, error.message, "/");
    }
  };
}

/** A path of this site; the first page for everything else. */
export const localPath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])[!-~]{0,1000}$/.test(text) && !text.startsWith("/sign-in") ? text : "/";

function redirectTo(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { location, "cache-control": "no-store", "content-length": 0 }).end();
}

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(html),
    "content-security-policy": SIGN_IN_POLICY,
    // Of a page without referrer a browser sends its form as from nowhere (Origin: null), and signing out would be refused.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
  });
  response.end(html);
}
