// Where the editors that are built on VS Code keep what their extensions store for a user.
import { homeFolder } from "./home-folder.ts";

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Antigravity", "Trae", "Trae CN"];
const SERVERS = [
  ...[".vscode-server", ".vscode-server-insiders", ".vscodium-server"],
  ...[".cursor-server", ".windsurf-server", ".antigravity-server", ".trae-server"],
];
/** Applications of Flatpak have a folder of settings each. */
const FLATPAKS = [
  ["com.visualstudio.code", "Code"],
  ["com.vscodium.codium", "VSCodium"],
] as const;

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
    ? env["APPDATA"] || [home, "AppData", "Roaming"].join(separator)
    : os === "darwin"
      ? [home, "Library", "Application Support"].join(separator)
      : env["XDG_CONFIG_HOME"] || [home, ".config"].join(separator);
  return [
    ...names.map((name) => [config, name, "User"].join(separator)),
    ...servers.map((name) => [home, name, "data", "User"].join(separator)),
    ...(os === "linux" ? linuxFolders(env, home, names) : []),
  ];
}

const linuxFolders = (env: Environment, home: string, names: readonly string[]): string[] => [
  ...(names === EDITORS ? [`${env["XDG_DATA_HOME"] || `${home}/.local/share`}/code-server/User`] : []),
  ...FLATPAKS.filter(([, name]) => names.includes(name)).map(
    ([id, name]) => `${home}/.var/app/${id}/config/${name}/User`,
  ),
];
