// Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. openid-client speaks it and checks what comes back; it is
// loaded, and the provider asked, when the first person signs in.
import type { Configuration } from "openid-client";
import { z } from "zod";
import { AppError, fail } from "#lib/kernel/errors.ts";
import { PERSON_ROLES, type PersonRole } from "#lib/wire/fleet-people-schema.ts";
import { fleetProject } from "#lib/wire/fleet-schema.ts";
import type { ClaimedRoles } from "./people-rows.ts";

export type ProviderOptions = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim that lists groups, where roles come from them. */
  readonly groups: string | null;
};

export type Vouched = { readonly email: string; readonly name: string; readonly claimed: ClaimedRoles | null };
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string };

export type IdentityProvider = {
  /** For people: who it is. */
  readonly label: string;
  begin(redirect: string): Promise<Checks & { readonly url: string }>;
  /** Who came back at this address. */
  finish(address: URL, checks: Checks): Promise<Vouched>;
};

/** Of the environment; null where no provider is configured. */
export function providerOptions(env: Readonly<Record<string, string | undefined>>): ProviderOptions | null {
  const [issuer = "", clientId = "", clientSecret = ""] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET"].map(
    (name) => env[`PLIMSOLL_OIDC_${name}`],
  );
  if (issuer === "" && clientId === "" && clientSecret === "") return null;
  if (issuer === "" || clientId === "" || clientSecret === "")
    fail("invalid", "Sign-in needs PLIMSOLL_OIDC_ISSUER, PLIMSOLL_OIDC_CLIENT_ID and PLIMSOLL_OIDC_CLIENT_SECRET.");
  const url = URL.parse(issuer);
  if (url === null || (url.protocol !== "https:" && !isLoopback(url)))
    fail("invalid", `PLIMSOLL_OIDC_ISSUER is "${issuer.slice(0, 80)}". Give an address that begins with https://.`);
  return { issuer, clientId, clientSecret, groups: env["PLIMSOLL_OIDC_GROUPS"] || null };
}

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);

const claims = z.object({
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
});

export function identityProvider(options: ProviderOptions): IdentityProvider {
  const issuer = new URL(options.issuer);
  const label = issuer.host;
  let found: Promise<Configuration> | null = null;

  const load = async (): Promise<Configuration> => {
    const { discovery, allowInsecureRequests } = await import("openid-client");
    const execute = isLoopback(issuer) ? [allowInsecureRequests] : [];
    return discovery(issuer, options.clientId, options.clientSecret, undefined, { execute });
  };

  /** What the provider says of itself; asked again where it did not answer. */
  async function configuration(): Promise<Configuration> {
    found ??= load();
    try {
      return await found;
    } catch (error) {
      found = null;
      const text = `The identity provider ${label} does not answer. Sign in later, or ask an admin for a link.`;
      throw new AppError("timeout", text, { cause: error });
    }
  }

  return {
    label,
    async begin(redirect) {
      const config = await configuration();
      const client = await import("openid-client");
      const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()];
      const url = client.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirect, scope: "openid email profile", state, nonce },
        ...{ code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
      });
      return { url: url.href, verifier, state, nonce };
    },
    async finish(address, { state, nonce, verifier }) {
      const config = await configuration();
      const client = await import("openid-client");
      try {
        const tokens = await client.authorizationCodeGrant(config, address, {
          ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
        });
        const said = tokens.claims()!;
        // Some providers tell the address at their second endpoint alone.
        const more =
          said["email"] === undefined ? await client.fetchUserInfo(config, tokens.access_token, said.sub) : {};
        return vouchedOf({ ...more, ...said }, options.groups);
      } catch (error) {
        if (error instanceof AppError) throw error;
        const code = (error as { code?: unknown; error?: unknown } | null) ?? {};
        const reason = String(code.error ?? code.code ?? "no reason was given").slice(0, 80);
        throw new AppError("invalid", `${label} did not sign you in (${reason}). Begin again.`, { cause: error });
      }
    },
  };
}

function vouchedOf(said: Readonly<Record<string, unknown>>, groups: string | null): Vouched {
  const { email, email_verified: isVerified, name } = claims.parse(said);
  if (email === undefined || isVerified === false)
    fail("invalid", "Your identity provider names no verified e-mail address. Ask its admin for one.");
  return { email, name: name ?? "", claimed: groups === null ? null : claimedOf(said[groups]) };
}

/** `plimsoll:admin`, and `plimsoll:PROJECT:ROLE`. */
export function claimedOf(groups: unknown): ClaimedRoles {
  const names = z.array(z.string()).catch([]).parse(groups);
  const roles: Record<string, PersonRole> = {};
  for (const name of names) {
    const [, project = "", text = ""] = /^plimsoll:([^:]+):([^:]+)$/.exec(name) ?? [];
    const role = PERSON_ROLES.find((one) => one === text);
    const isHigher = role !== undefined && PERSON_ROLES.indexOf(role) > PERSON_ROLES.indexOf(roles[project]!);
    if (isHigher && fleetProject.safeParse(project).success) roles[project] = role;
  }
  return { isAdmin: names.includes("plimsoll:admin"), roles };
}
