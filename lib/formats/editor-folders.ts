// Where the editors that are built on VS Code keep what their extensions store for a user.
import { homeFolder } from "./home-folder.ts";

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Antigravity"];
const SERVERS = [".vscode-server", ".vscode-server-insiders", ".cursor-server"];

type Environment = Readonly<Record<string, string | undefined>>;

/** The `User` folder of each editor, and of the servers of remote windows. */
export function editorFolders(
  env: Environment,
  os: string,
  names: readonly string[] = EDITORS,
  servers: readonly string[] = names === EDITORS ? SERVERS : [],
): string[] {
  const isWindows = os === "win32";
  const separator = isWindows ? "\\" : "/";
  const home = homeFolder(env, os);
  if (!home) return [];
  const config = isWindows
    ? (env["APPDATA"] ?? [home, "AppData", "Roaming"].join(separator))
    : os === "darwin"
      ? [home, "Library", "Application Support"].join(separator)
      : (env["XDG_CONFIG_HOME"] ?? [home, ".config"].join(separator));
  return [
    ...names.map((name) => [config, name, "User"].join(separator)),
    ...servers.map((name) => [home, name, "data", "User"].join(separator)),
  ];
}
