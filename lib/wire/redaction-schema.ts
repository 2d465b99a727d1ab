// What looks private in a text that is handed on, and what a person decides about it.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { PRIVATE_KINDS, type PrivateKind } from "#lib/kernel/private-spans.ts";

/** What is masked unless it is decided singly: some kinds, every finding, nothing. */
const maskChoice = z.union([
  z.enum(["secrets", "all", "none"]),
  z.array(z.enum(PRIVATE_KINDS)).max(PRIVATE_KINDS.length),
]);
export type MaskChoice = z.infer<typeof maskChoice>;

const findingIds = z.array(z.string().regex(/^[0-9a-f]{12}$/, "is not a finding id")).max(LIMITS.reportFindings);

export const decision = z.strictObject({
  mask: maskChoice.optional(),
  /** Findings that stay readable whatever `mask` says, and those that are masked. */
  accept: findingIds.default([]),
  hide: findingIds.default([]),
});

/** Which findings are masked where nobody decides on one singly: the page that asks and the server that writes agree. */
export const masksKind = (mask: MaskChoice, kind: PrivateKind): boolean =>
  mask === "all" || (mask === "secrets" ? kind === "secret" : mask !== "none" && mask.includes(kind));

export const privateFinding = z.object({
  /** The same for the same value of the same kind in any export of this archive. */
  id: z.string(),
  kind: z.enum(PRIVATE_KINDS),
  /** Which pattern found a secret. */
  rule: z.string().nullable(),
  value: z.string(),
  /** `value` is only the beginning. */
  valueCut: z.boolean(),
  times: z.number(),
  /** The first occurrences: the part of the export, and the words before and after. */
  places: z.array(z.object({ where: z.string(), before: z.string(), after: z.string() })),
});
export type PrivateFinding = z.infer<typeof privateFinding>;
