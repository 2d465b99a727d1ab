// docs/limits.md is written from the table of limits. `npm run unit -- -u components/settings/limits-page.test.ts` writes it anew.
import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { LIMIT_GROUPS, LIMIT_WORDS, limitText } from "./limit-words.ts";

type Name = keyof typeof LIMITS;

function limitsPage(): string {
  const names = Object.keys(LIMITS) as Name[];
  const parts = LIMIT_GROUPS.map((group) => {
    const rows = names
      .filter((name) => LIMIT_WORDS[name]?.group === group)
      .map((name) => `| ${LIMIT_WORDS[name]?.says} | ${limitText(name, LIMITS[name])} | \`${name}\` |`);
    return `## ${group}\n\n| what | limit | name |\n|---|--:|---|\n${rows.join("\n")}\n`;
  });
  return `# Limits\n\nEvery deadline and cap. They are fixed in each release: \`lib/kernel/limits.ts\`.\n\n${parts.join("\n")}`;
}

test("docs/limits.md has every limit as it is", async () => {
  await expect(limitsPage()).toMatchFileSnapshot("../../docs/limits.md");
  for (const name of Object.keys(LIMITS)) expect(limitsPage()).toContain(`\`${name}\``);
});
