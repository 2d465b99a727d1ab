import { FORMATS } from "#lib/formats/index.ts";

/** The name that people know a format's agent by. */
export function labelOf(format: string): string {
  return FORMATS.find((known) => known.id === format)?.label ?? format;
}
