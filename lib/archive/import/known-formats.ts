// The formats that are looked for, and what each is recognised by.
import { FORMATS } from "#lib/formats/index.ts";
import type { KnownFormat } from "#lib/wire/sources-schema.ts";

export const KNOWN_FORMATS: KnownFormat[] = FORMATS.map(({ id, label, signs }) => ({ id, label, signs }));
