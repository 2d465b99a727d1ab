// The system prompt of a pi session. Since pi 1.0 it stands in named sections, with the tools that came and went; what comes later
// replaces a section of the same name.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import { TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asObject, asText, clip, type Json } from "../json.ts";
import { draftOf, noteOf, type Entry } from "./pi-drafts.ts";
import { textsOf } from "./pi-state.ts";

export function systemMessage(message: Json, role: "system" | "developer", entry: Entry): Draft[] {
  const sections = Object.entries(asObject(message["sections"]));
  const text = [textsOf(message["content"]).join("\n"), ...sections.map(([, section]) => asText(section) ?? "")]
    .filter((part) => part !== "")
    .join("\n\n");
  const removed = [
    ...sections.flatMap(([name, section]) => (section === null ? [`section ${name}`] : [])),
    ...asArray(message["toolsRemoved"]).map((tool) => `tool ${toolName(tool)}`),
  ];
  const drafts = [
    ...(text === ""
      ? []
      : [draftOf(entry, { type: "system", subtype: role, text, ...(role === "developer" && { role }) })]),
    ...asArray(message["toolsAdded"]).map((tool) =>
      draftOf(entry, { type: "meta", subtype: TOOL_PART, name: toolName(tool), text: jsonText(tool), sent: "tools" }),
    ),
    ...(removed.length === 0 ? [] : [noteOf(entry, "system_removed", `Removed: ${removed.join(", ")}`)]),
  ];
  return drafts.length > 0 ? drafts : [noteOf(entry, role)];
}

const toolName = (tool: unknown): string => clip(asText(asObject(tool)["name"]) ?? asText(tool) ?? "unnamed", 200);
