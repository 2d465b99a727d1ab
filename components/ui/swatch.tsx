import type { Category } from "#lib/wire/common-schema.ts";

/** The token that holds a category's colour. */
export const categoryToken = (category: Category): string =>
  category === "unattributed" ? "--c-unattr" : `--c-${category}`;

export const categoryColor = (category: Category): string => `var(${categoryToken(category)})`;

/** The colour of a category; unattributed is always hatched. A name stands beside it. */
export function Swatch({ category }: { category: Category }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-2.5 flex-none rounded-[2px] ${category === "unattributed" ? "hatch" : ""}`}
      style={category === "unattributed" ? undefined : { background: categoryColor(category) }}
    />
  );
}
