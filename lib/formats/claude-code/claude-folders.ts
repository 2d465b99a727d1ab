// Where Claude Code keeps its sessions: in the home folder, on some machines where programs keep their settings, and below Claude Desktop,
import { homeFolder } from "../home-folder.ts";
// which runs it for its own sessions.

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that a person named stands in place of those in the home folder. */
export function claudeFolders(env: Environment, os: string): string[] {
  const isWindows = os === "win32";
  const separator = isWindows ? "\\" : "/";
  const joined = (...parts: readonly string[]): string => parts.join(separator);
  const home = homeFolder(env, os) || null;
  const named = env["CLAUDE_CONFIG_DIR"];
  const config = env["XDG_CONFIG_HOME"] || (home === null ? null : joined(home, ".config"));
  const own = named
    ? [named]
    : [
        ...(home === null ? [] : [joined(home, ".claude")]),
        // A star, so that only those that are there are named.
        ...(config === null ? [] : [joined(config, "claude*")]),
      ];
  const desktop = isWindows
    ? env["APPDATA"] || (home === null ? null : joined(home, "AppData", "Roaming"))
    : os === "darwin"
      ? home === null
        ? null
        : joined(home, "Library", "Application Support")
      : config;
  return [
    ...own.map((folder) => joined(folder, "projects")),
    ...(desktop === null ? [] : [joined(desktop, "Claude*", "local-agent-mode-sessions")]),
  ];
}
