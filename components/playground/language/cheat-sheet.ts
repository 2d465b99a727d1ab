// The thirty examples that the playground offers.
export { CHEAT_GROUPS, CHEAT_SHEET, type CheatEntry } from "#lib/kernel/jq/cheat-sheet.ts";
