// What a person would call a stored output: the file that it is of, else its tool's input.
import { briefLabel } from "./tool-summary.ts";

export type Titled = {
  readonly name: string | null;
  readonly toolName: string | null;
  /** The tool and its input in one line, as the transcript says; absent where no event stored it. */
  readonly label?: string | null | undefined;
};

/** Names that an import gives where the call names no file: `bash-179.txt`, `output-638.png`. */
const MADE_UP = /^[a-z0-9_-]+-\d+\.[a-z0-9]{1,8}$/u;

/** `git log --stat` in place of `bash-179.txt`; a name that says something stays. */
export function artifactTitle({ name, toolName, label }: Titled): string {
  const request = label == null ? "" : briefLabel(label).trim();
  if (request !== "" && (name === null || isMadeUp(name, toolName))) return request;
  return name ?? `Output of ${toolName ?? "a tool"}`;
}

function isMadeUp(name: string, toolName: string | null): boolean {
  const tool = (toolName ?? "output").toLowerCase().replace(/[^a-z0-9_-]+/gu, "-");
  return MADE_UP.test(name) && name.startsWith(`${tool.slice(0, 60)}-`);
}
