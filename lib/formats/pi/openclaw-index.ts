// OpenClaw's index of a folder of sessions, `sessions.json`: by key, what it knows of each. Titles come from it, and which
// session a sub-agent belongs to.
import { asObject, asText, isObject, type Json } from "../json.ts";
import type { Listed } from "./pi-state.ts";

/** The index beside a transcript. */
export const indexPath = (path: string): string =>
  `${path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)}sessions.json`;

/** What the index says of a session; null where it says nothing, or is no index. */
export function listedSession(text: string | undefined, sessionId: unknown): Listed | null {
  if (text === undefined || typeof sessionId !== "string") return null;
  let index: Json;
  try {
    index = asObject(JSON.parse(text));
  } catch {
    return null;
  }
  const found = Object.entries(index).find(([, entry]) => isObject(entry) && entry["sessionId"] === sessionId);
  if (found === undefined) return null;
  const [key, entry] = found;
  const parentKey = asText(asObject(entry)["spawnedBy"]);
  const parent = parentKey === null ? null : asText(asObject(index[parentKey])["sessionId"]);
  return { key, title: titleOf(asObject(entry)), parent: parent === sessionId ? null : parent };
}

/** Names that a person or the channel gave. The key alone says where a session came from, and is no title. */
function titleOf(entry: Json): string | null {
  for (const name of ["label", "displayName", "subject"]) {
    const title = asText(entry[name])?.trim() ?? "";
    if (title !== "") return title;
  }
  return null;
}
