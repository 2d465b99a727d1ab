/**
 * Raised when the same session gets another state, verdict or finding: by detectors, weights, what counts as automatic. Archives work out
 * anew what they hold of older rules.
 */
export const RULES_VERSION = 4;
