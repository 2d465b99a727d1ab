// People at a node of a fleet: by an identity provider on loopback, by a link, and out again.
import { createServer, request as httpRequest, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { claimedOf, identityProvider, providerOptions } from "#lib/fleet/people/identity-provider.ts";
import { KNOWN_MS } from "#lib/fleet/people/known-credentials.ts";
import { listPeople, removePerson, setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink } from "#lib/fleet/people/sign-ins.ts";
import { openTestFleet, skippedFor, testFleet } from "#lib/fleet/testing-fleet.ts";
import { readerOf } from "#lib/fleet/testing-sender.ts";
import { localPath } from "./fleet-sign-in.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const found = await testFleet();

/** fetch would say of itself how it asks. */
async function send(url: URL, method: string, body: string, headers: Record<string, string>): Promise<Response> {
  const length = method === "POST" ? { "content-length": String(Buffer.byteLength(body)) } : {};
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const asked = httpRequest(url, { method, headers: { ...headers, ...length } }, (answer) => {
    text(answer).then((said) => {
      const given = new Headers();
      for (let n = 0; n < answer.rawHeaders.length; n += 2)
        given.append(answer.rawHeaders[n]!, answer.rawHeaders[n + 1]!);
      resolve(new Response(answer.statusCode === 204 ? null : said, { status: answer.statusCode!, headers: given }));
    }, reject);
  });
  asked.on("error", reject);
  asked.end(body);
  return promise;
}

/** A browser that keeps cookies of each place, and says of a request what browsers say. */
class Browser {
  readonly #jar = new Map<string, Map<string, string>>();

  async go(address: string, init: { method?: string; body?: string; from?: string } = {}): Promise<Response> {
    const url = new URL(address);
    const jar = this.#jar.get(url.host) ?? new Map<string, string>();
    this.#jar.set(url.host, jar);
    const isElsewhere = init.from !== undefined && init.from !== url.host;
    const response = await send(url, init.method ?? "GET", init.body ?? "", {
      cookie: [...jar].map((pair) => pair.join("=")).join("; "),
      ...{ "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      "sec-fetch-site": init.from === undefined ? "none" : isElsewhere ? "cross-site" : "same-origin",
      ...(init.body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects until a page stands. */
  async open(address: string): Promise<{ readonly url: string; readonly response: Response; readonly text: string }> {
    let url = address;
    let from: string | undefined;
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.go(url, from === undefined ? {} : { from });
      const to = response.headers.get("location");
      if (to === null) return { url, response, text: await response.text() };
      from = new URL(url).host;
      url = new URL(to, url).href;
    }
    throw new Error("It goes round in a circle.");
  }

  cookies = (url: string): string =>
    [...(this.#jar.get(new URL(url).host) ?? [])].map((one) => one.join("=")).join("; ");
}

const SECRET = "synthetic-client-secret-of-a-test";

/** An identity provider whose users are called as they like, with the address of the same name. */
async function withProvider<T>(run: (issuer: string, allow: (redirect: string) => void) => Promise<T>): Promise<T> {
  const server: Server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const redirects: string[] = [];
  const make = (): Provider =>
    new Provider(issuer, {
      clients: [
        {
          client_id: "plimsoll",
          client_secret: SECRET,
          redirect_uris: redirects,
          token_endpoint_auth_method: "client_secret_post",
        },
      ],
      claims: { email: ["email", "email_verified"], profile: ["name", "groups"] },
      cookies: { keys: ["synthetic-key"] },
      pkce: { required: () => true },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({
          ...{ sub, name: `Name of ${sub}`, email: `${sub}@example.com`, email_verified: sub !== "unverified" },
          groups: sub === "grouped" ? ["plimsoll:shop:writer", "plimsoll:yard:reader", "others"] : [],
        }),
      }),
    });
  let provider: Provider | null = null;
  server.on("request", (request, response) => void (provider ??= make()).callback()(request, response));
  try {
    return await run(issuer, (redirect) => void redirects.push(redirect));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe.skipIf("missing" in found)(`people of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  let clock = Date.now();
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  const atNode = (
    run: (server: DoorServer, dir: string) => Promise<void>,
    issuer: string | null = null,
  ): Promise<void> =>
    inFolder((dir) =>
      withArchive(join(dir, "node"), async (archive) => {
        const env = {
          ...{
            PLIMSOLL_OIDC_ISSUER: issuer ?? "",
            PLIMSOLL_OIDC_CLIENT_ID: "plimsoll",
            PLIMSOLL_OIDC_CLIENT_SECRET: SECRET,
          },
          PLIMSOLL_OIDC_GROUPS: "groups",
        };
        const provider = issuer === null ? null : identityProvider(providerOptions(env)!);
        const open = { ...fleet, close: () => Promise.resolve() };
        await withDoors(
          archive,
          (server) => run(server, dir),
          undefined,
          fleetNode(open, readerOf(archive), 1e9, () => clock, provider),
        );
      }),
    );

  /** Signs in at the provider as this user, as its pages ask. */
  async function signInAs(
    browser: Browser,
    server: DoorServer,
    user: string,
  ): Promise<{ response: Response; text: string }> {
    let at = await browser.open(`${server.url}/sign-in/start?to=/usage`);
    for (let pages = 0; pages < 3 && new URL(at.url).origin !== server.url; pages++) {
      const action = /<form[^>]*action="([^"]+)"/.exec(at.text)![1]!.replaceAll("&amp;", "&");
      const prompt = /name="prompt" value="(\w+)"/.exec(at.text)![1]!;
      const body = new URLSearchParams({
        prompt,
        ...(prompt === "login" && { login: user, password: "any" }),
      }).toString();
      const posted = await browser.go(new URL(action, at.url).href, {
        method: "POST",
        body,
        from: new URL(at.url).host,
      });
      at = await browser.open(new URL(posted.headers.get("location")!, at.url).href);
    }
    return at;
  }

  const meOf = async (browser: Browser, server: DoorServer): Promise<string> =>
    (await (await browser.go(`${server.url}/sign-in`)).text()).replaceAll(/<style>.*<\/style>/gs, "");

  test("a person signs in by their provider, is who they are on every node, and signs out", { timeout: 60_000 }, () =>
    withProvider((issuer, allow) =>
      atNode(
        (server) =>
          atNode(async (second) => {
            await setRole(fleet, "Mary@example.com", "shop", "reader");
            allow(`${server.url}/sign-in/callback`);
            const mary = new Browser();
            expect((await mary.go(`${server.url}/usage`)).status).toBe(401);
            expect(await meOf(mary, server)).toContain(new URL(issuer).host);
            const done = await signInAs(mary, server, "mary");
            // A page of ours leads on, so that the cookie is sent with the next request.
            expect([done.response.status, done.text]).toEqual([200, expect.stringContaining("url=/usage")]);
            expect(done.response.headers.getSetCookie().find((one) => one.startsWith("plimsoll_fleet="))).toMatch(
              /HttpOnly.*Path=\/; SameSite=Strict/,
            );
            expect(await meOf(mary, server)).toMatch(/You are <strong>mary@example.com.*shop<span>reader/s);
            expect((await mary.go(`${server.url}/usage`)).status).toBe(200);
            expect((await mary.go(`${server.url}/settings`)).status).toBe(403);
            const cookie = mary.cookies(server.url);
            const listed = await fetch(`${second.url}/api/sessions`, { headers: { cookie } });
            expect([listed.status, await listed.json()]).toEqual([200, expect.objectContaining({ total: 0 })]);
            // Without a page of ours nothing is changed in her name.
            const foreign = await fetch(`${server.url}/sign-in/out`, { method: "POST", headers: { cookie } });
            expect(foreign.status).toBe(403);
            const out = await mary.go(`${server.url}/sign-in/out`, { method: "POST", from: new URL(server.url).host });
            expect([out.status, mary.cookies(server.url)]).toEqual([303, ""]);
            clock += KNOWN_MS;
            expect((await fetch(`${second.url}/api/sessions`, { headers: { cookie } })).status).toBe(401);
          }),
        issuer,
      ),
    ),
  );

  test("roles come from groups, and who has none, or no verified address, does not come in", { timeout: 60_000 }, () =>
    withProvider((issuer, allow) =>
      atNode(async (server) => {
        allow(`${server.url}/sign-in/callback`);
        expect((await signInAs(new Browser(), server, "grouped")).text).toContain("url=/usage");
        expect((await listPeople(fleet)).find(({ email }) => email === "grouped@example.com")).toMatchObject({
          ...{ isAdmin: false, roles: { shop: "writer", yard: "reader" }, name: "Name of grouped" },
        });
        for (const [user, said] of [
          ["stranger", "stranger@example.com has no role in this fleet."],
          ["unverified", "names no verified e-mail address"],
        ] as const) {
          const refused = await signInAs(new Browser(), server, user);
          expect([refused.response.status, refused.text]).toEqual([403, expect.stringContaining(said)]);
        }
        // Another browser's answer, an invented one, and the same one again.
        const browser = new Browser();
        await browser.go(`${server.url}/sign-in/start`);
        const invented = `${server.url}/sign-in/callback?code=x&state=y&iss=${encodeURIComponent(issuer)}`;
        expect((await new Browser().go(invented)).status).toBe(400);
        expect(await (await browser.go(invented)).text()).toContain("did not sign you in");
        expect((await browser.go(invented)).status).toBe(400);
      }, issuer),
    ),
  );

  test("a link signs in once, for minutes, and not for a program that looks at it", () =>
    atNode(async (server) => {
      await setFleetAdmin(fleet, "ann@example.com", true);
      const link = async (minutes: number): Promise<string> =>
        `${server.url}/sign-in/link?token=${await createLink(fleet, "Ann@Example.com", minutes)}`;
      const address = await link(5);
      expect(await (await fetch(address)).text()).toContain("Open this link in a browser.");
      const ann = new Browser();
      expect((await ann.go(address)).status).toBe(200);
      expect(await meOf(ann, server)).toMatch(/ann@example.com.*Every project/s);
      expect((await ann.go(`${server.url}/settings`)).status).toBe(200);
      expect((await new Browser().go(address)).status).toBe(401);
      expect((await new Browser().go(await link(0))).status).toBe(401);
      await expect(createLink(fleet, "nobody@example.com", 5)).rejects.toMatchObject({ code: "not_found" });
      await removePerson(fleet, "ann@example.com");
      clock += KNOWN_MS;
      expect((await ann.go(`${server.url}/settings`)).status).toBe(401);
    }));

  test("who came by the node's own link is signed in, goes on from there, and may sign in as a person", () =>
    atNode(async (server) => {
      const browser = new Browser();
      expect(await meOf(browser, server)).toContain("<h1>Sign in</h1>");
      await browser.open(`${server.url}/?token=${server.credentials.newLaunchToken()}`);
      const me = await meOf(browser, server);
      expect(me).toContain("<h1>Signed in</h1>");
      expect(me).toContain("the admin of this node");
      expect(me).toContain('href="/">Open sessions</a>');
      const going = await (await browser.go(`${server.url}/sign-in?to=/usage`)).text();
      expect(going).toContain('href="/usage">Continue</a>');
      expect(going).toContain("a sign-in link from an admin");
      expect((await browser.go(`${server.url}/usage`)).status).toBe(200);
      // Another node's link, or a cookie that is made up, is nobody here.
      const stranger = await send(new URL(`${server.url}/sign-in`), "GET", "", { cookie: `plimsoll_${server.port}=x` });
      expect(await stranger.text()).toContain("<h1>Sign in</h1>");
      await setFleetAdmin(fleet, "ann@example.com", true);
      await browser.go(`${server.url}/sign-in/link?token=${await createLink(fleet, "ann@example.com", 5)}`);
      expect(await meOf(browser, server)).toContain("<strong>ann@example.com</strong>");
      await removePerson(fleet, "ann@example.com");
    }));
});

test("roles of groups: the highest of a project counts, and nothing else does", () => {
  expect(
    claimedOf(["plimsoll:admin", "plimsoll:a:reader", "plimsoll:a:admin", "plimsoll:a:writer", "plimsoll:B:reader"]),
  ).toEqual({
    isAdmin: true,
    roles: { a: "admin" },
  });
  expect(claimedOf(["plimsoll:a:owner", "a:reader", "plimsoll:a", 7])).toEqual({ isAdmin: false, roles: {} });
  expect(claimedOf("plimsoll:admin")).toEqual({ isAdmin: false, roles: {} });
});

test("a provider is one by https, or on this machine", () => {
  const env = { PLIMSOLL_OIDC_CLIENT_ID: "a", PLIMSOLL_OIDC_CLIENT_SECRET: "b" };
  expect(providerOptions({})).toBe(null);
  expect(() => providerOptions(env)).toThrow("Sign-in needs PLIMSOLL_OIDC_ISSUER");
  expect(() => providerOptions({ ...env, PLIMSOLL_OIDC_ISSUER: "http://id.example.com" })).toThrow("https://");
  expect(providerOptions({ ...env, PLIMSOLL_OIDC_ISSUER: "http://localhost:9" })).toMatchObject({ groups: null });
});

test("only a path of this site is gone to", () => {
  expect(
    ["/usage?by=day", "//evil.example", "/\\evil", "https://evil.example", null, "/sign-in", "/a\nb"].map(localPath),
  ).toEqual(["/usage?by=day", "/", "/", "/", "/", "/", "/"]);
});
