// Where Crush's projects are: each has a database of its own, and Crush lists them in the folder of its data.
import { homeFolder } from "../home-folder.ts";
import { asArray, asObject, asText } from "../json.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Projects of a list that are looked for; those that were opened last stand first. */
const PROJECTS = 200;

/** The first of these that is named holds, as in Crush itself. */
export function projectLists(env: Environment, os: string): string[] {
  const separator = os === "win32" ? "\\" : "/";
  const home = homeFolder(env, os);
  const inHome = (...parts: readonly string[]): string | undefined => home && [home, ...parts].join(separator);
  const data =
    env["XDG_DATA_HOME"] ||
    (os === "win32" ? env["LOCALAPPDATA"] || inHome("AppData", "Local") : inHome(".local", "share"));
  const folder = env["CRUSH_GLOBAL_DATA"] || (data && [data, "crush"].join(separator));
  return folder ? [[folder, "projects.json"].join(separator)] : [];
}

export const projectDatabases = (listing: unknown): string[] =>
  asArray(asObject(listing)["projects"])
    .slice(0, PROJECTS)
    .flatMap((project) => {
      const { path, data_dir: data } = asObject(project);
      const folder = folderOf(asText(path), asText(data) || ".crush");
      return folder === null ? [] : [`${folder}/crush.db`];
    });

const isAbsolute = (path: string): boolean => /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path);

function folderOf(project: string | null, data: string): string | null {
  if (isAbsolute(data)) return data;
  return project !== null && isAbsolute(project) ? `${project}/${data}` : null;
}
