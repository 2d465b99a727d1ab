// Where requests go: to the provider that the agent would have asked, by the first part of the path.
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import { fail } from "#lib/kernel/errors.ts";

export const PROVIDERS = ["anthropic", "openai", "gemini"] as const;
export type Provider = (typeof PROVIDERS)[number];
export type Upstreams = Readonly<Record<Provider, string>>;

/** What a provider's own SDK asks where nothing is set, and the variables that say otherwise. */
const KNOWN: Readonly<Record<Provider, { readonly url: string; readonly env: readonly string[] }>> = {
  anthropic: { url: "https://api.anthropic.com", env: ["ANTHROPIC_BASE_URL"] },
  openai: { url: "https://api.openai.com/v1", env: ["OPENAI_BASE_URL", "OPENAI_API_BASE"] },
  gemini: { url: "https://generativelanguage.googleapis.com", env: ["GOOGLE_GEMINI_BASE_URL"] },
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Those that were named, else those of the environment, else the providers' own. */
export function upstreamsOf(env: Environment, named: Partial<Record<Provider, string>> = {}): Upstreams {
  const one = (provider: Provider): string => {
    const { url, env: names } = KNOWN[provider];
    const set = names.find((name) => (env[name] ?? "") !== "");
    const given = named[provider] ?? (set === undefined ? url : env[set]!);
    return baseUrl(given, named[provider] === undefined && set !== undefined ? set : `--${provider}`);
  };
  return { anthropic: one("anthropic"), openai: one("openai"), gemini: one("gemini") };
}

function baseUrl(text: string, from: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return fail(
      "invalid",
      `${from} is not a web address: "${text.slice(0, 200)}". It begins with https:// or http://.`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return fail("invalid", `${from} has a key, query or fragment in it. Give the address alone.`);
  return url.href.replace(/\/+$/, "");
}

export type Target = { readonly provider: Provider; readonly url: URL; readonly path: string };

/** The provider and address of a request, or null where the path names no provider. */
export function targetOf(target: string, upstreams: Upstreams): Target | null {
  const match = /^\/(\w+)(\/[^?#]*)?(\?[^#]*)?$/.exec(target);
  const provider = PROVIDERS.find((known) => known === match?.[1]);
  if (match === null || provider === undefined) return null;
  const [, , path = "", query = ""] = match;
  const url = URL.parse(`${upstreams[provider]}${path}${query}`);
  // Nothing in a path leads to another host.
  if (url === null || url.origin !== new URL(upstreams[provider]).origin) return null;
  return { provider, url, path: `${path}${query}` };
}

const APIS: readonly (readonly [RegExp, CapturedApi])[] = [
  [/\/messages$/, "messages"],
  [/\/responses$/, "responses"],
  [/\/chat\/completions$/, "chat"],
  [/:(?:streamGenerate|generate)Content$/, "gemini"],
];

/** The shape of a request to a model; null for all others, which pass and are not recorded. */
export function apiOf(method: string, path: string): CapturedApi | null {
  const bare = path.split("?")[0]!;
  return method === "POST" ? (APIS.find(([pattern]) => pattern.test(bare))?.[1] ?? null) : null;
}
