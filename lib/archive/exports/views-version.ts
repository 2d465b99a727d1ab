// Which Plimsoll wrote the views of a family: raised by each format that reads more, by views that hold more, by rules of verdicts, and
// by other prices.
import { FORMATS } from "#lib/formats/index.ts";
import { PRICE_TABLES } from "#lib/kernel/load/price-versions.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";

/** Raised when what is catalogued of a session changes. 8: with the commits and pull requests that it made. */
const CATALOGUED = 8;

/** Of two versions the later is higher: versions of formats and rules only rise, and tables of prices are only added. */
export const VIEWS =
  CATALOGUED * 10_000 + FORMATS.reduce((sum, { version }) => sum + version, RULES_VERSION + PRICE_TABLES.length);

/** Of views that this version wrote, and which are to be written again: the next below, so that they are written before older ones. */
export const DUE_VIEWS = VIEWS - 1;
