// What a call is about, so that a second copy of the same thing is known as one: the file that it reads or writes, else the
// tool with what it was asked.
import type { CallFacts } from "#lib/kernel/memory/extractive/call-facts.ts";
import { subjectLabel } from "#lib/kernel/load/weigh.ts";

export type CallSubjects = {
  /** What a result of the call is a copy of. */
  readonly main: string;
  /** Everything that it names. */
  readonly all: readonly string[];
  /** The file, as the agent's folder sees it. */
  readonly path: string | null;
  /** A command, a pattern, a question. */
  readonly asked: string;
};

export function subjectsOf(toolName: string, input: unknown, facts: CallFacts, cwd: string | null): CallSubjects {
  const paths = facts.files.map(({ path }) => plainPath(path, cwd));
  const asked = (facts.command ?? subjectLabel(input)).slice(0, 400);
  const path = paths.length === 1 ? paths[0]! : null;
  const main = path ?? `${toolName}\n${asked}`;
  return { main, all: [...new Set([main, ...paths])], path, asked };
}

/** A path as it is written from the agent's folder. */
export function plainPath(path: string, cwd: string | null): string {
  const plain = path.replace(/^["']|["']$/g, "").replaceAll("\\", "/");
  const folder = cwd?.replaceAll("\\", "/").replace(/\/$/, "");
  const inside = folder !== undefined && plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain;
  return inside.replace(/^(?:\.\/)+/, "");
}
