/**
 * Each price table that a release had, oldest first, as bin/price-versions.test.ts sums it up. Dollars of a fleet are kept with its views,
 * and their number is part of the views' version: a release with other prices has a later one, so views are written again. Only added to:
 * a table that comes back is one more.
 */
export const PRICE_TABLES: readonly string[] = ["ea34c65a635c8e9d"];
