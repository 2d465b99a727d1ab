import { FORMATS } from "#lib/formats/index.ts";

/** The name that people know a format's agent by. */
export function labelOf(format: string): string {
  return FORMATS.find((known) => known.id === format)?.label ?? format;
}

/** What rows may hold of an agent that is named by its label or its format: `Claude Code` and `claude-code`. */
export function agentKeys(agent: string): readonly string[] {
  const label = labelOf(agent);
  return [label, ...FORMATS.flatMap((known) => (known.label === label && known.id !== label ? [known.id] : []))];
}
