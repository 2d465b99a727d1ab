// Which Plimsoll wrote the views of a family: raised by each format that reads more, by views that hold more, and by rules of
// verdicts.
import { FORMATS } from "#lib/formats/index.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";

/** Raised when what is catalogued of a session changes, also by another price table: dollars are kept there. */
const CATALOGUED = 6;

/** Of two versions the later is higher: versions of formats and rules only rise. */
export const VIEWS = CATALOGUED * 10_000 + FORMATS.reduce((sum, { version }) => sum + version, RULES_VERSION);
