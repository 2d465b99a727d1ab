// What an agent is told so that it asks its model through the proxy: variables, and words of its command line where it has no
// variable. Established by running the agents: docs/proxy.md has the table.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Provider } from "./upstreams.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type AgentLaunch = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it would have gone, beyond the variables that name that. */
  readonly upstreams: Partial<Record<Provider, string>>;
};

/** `url`: the address of a provider at the proxy. */
export function launchOf(
  command: readonly string[],
  env: Environment,
  url: (provider: Provider) => string,
): AgentLaunch {
  const [program = "", ...args] = command;
  const name = programName(program);
  const common = {
    ANTHROPIC_BASE_URL: url("anthropic"),
    OPENAI_BASE_URL: url("openai"),
    OPENAI_API_BASE: url("openai"),
    GOOGLE_GEMINI_BASE_URL: url("gemini"),
  };
  if (name === "codex") return codexLaunch(program, args, env, { common, address: url("openai") });
  if (name === "copilot" && env["COPILOT_PROVIDER_BASE_URL"] !== undefined) {
    // It asks its own service unless a provider is named.
    const provider: Provider = env["COPILOT_PROVIDER_TYPE"] === "anthropic" ? "anthropic" : "openai";
    return {
      args: command,
      env: { ...common, COPILOT_PROVIDER_BASE_URL: url(provider) },
      upstreams: { [provider]: env["COPILOT_PROVIDER_BASE_URL"] },
    };
  }
  return { args: command, env: common, upstreams: {} };
}

const programName = (program: string): string => basename(program).replace(/\.(exe|cmd|[cm]?js)$/i, "");

/** Codex takes its provider from its settings, and an override of these from its command line. */
function codexLaunch(
  program: string,
  args: readonly string[],
  env: Environment,
  { common, address }: { readonly common: AgentLaunch["env"]; readonly address: string },
): AgentLaunch {
  const settings = codexSettings(env);
  const provider = settings.provider ?? "openai";
  const key = provider === "openai" ? "openai_base_url" : `model_providers.${provider}.base_url`;
  return {
    args: [program, "-c", `${key}=${JSON.stringify(address)}`, ...args],
    env: common,
    upstreams: settings.baseUrl === null ? {} : { openai: settings.baseUrl },
  };
}

/** Provider and address of `config.toml`: two plain lines of it are all that is read. */
function codexSettings(env: Environment): { readonly provider: string | null; readonly baseUrl: string | null } {
  const home = env["CODEX_HOME"] || join(env["HOME"] || env["USERPROFILE"] || "", ".codex");
  let text: string;
  try {
    text = readFileSync(join(home, "config.toml"), "utf8");
  } catch {
    return { provider: null, baseUrl: null };
  }
  const tables = text.split(/^\s*\[/m);
  const provider = /^\s*model_provider\s*=\s*["']([\w.-]+)["']/m.exec(tables[0]!)?.[1] ?? null;
  const own = tables.find((table) => table.replaceAll(/["']/g, "").startsWith(`model_providers.${provider}]`));
  const top = /^\s*openai_base_url\s*=\s*["']([^"']+)["']/m.exec(tables[0]!)?.[1];
  const named = own === undefined ? top : /^\s*base_url\s*=\s*["']([^"']+)["']/m.exec(own)?.[1];
  return { provider, baseUrl: named ?? null };
}

/**
 * What makes Claude Code report to a Plimsoll that runs; nothing where it reports to somebody already. Agents whose files are not
 * read are left out: what they tell would be a second session beside the captured one.
 */
export const telemetryEnvironment = (
  program: string,
  env: Environment,
  endpoint: string,
  token: string,
): Record<string, string> =>
  programName(program) !== "claude" ||
  env["OTEL_EXPORTER_OTLP_ENDPOINT"] !== undefined ||
  env["CLAUDE_CODE_ENABLE_TELEMETRY"] !== undefined
    ? {}
    : {
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_LOGS_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${token}`,
      };
