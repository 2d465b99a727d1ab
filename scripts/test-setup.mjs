// Before the unit tests: the bundle of these sources, which the tests of the command line start.
import { ensureBundle } from "./bundle.mjs";

export const setup = () => ensureBundle();
