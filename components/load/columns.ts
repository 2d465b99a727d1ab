// Columns that a narrow table of culprits does without.
export const WIDE = "@max-[860px]:hidden";
export const MIDDLE = "@max-[640px]:hidden";
