// Which Plimsoll wrote the views of a family: raised by each format that reads more, and by views that hold more.
import { FORMATS } from "#lib/formats/index.ts";

/** Raised when what is catalogued of a session changes. */
const CATALOGUED = 3;

/** Of two versions the later is higher: versions of formats only rise. */
export const VIEWS = CATALOGUED * 10_000 + FORMATS.reduce((sum, { version }) => sum + version, 0);
