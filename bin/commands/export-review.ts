// What looks private in an export, as a table; and what a person decided about it, from the options.
import type { ExportReview } from "#lib/wire/export-schema.ts";
import { decision, type MaskChoice } from "#lib/wire/redaction-schema.ts";
import { PRIVATE_KINDS, type PrivateKind } from "#lib/kernel/private-spans.ts";
import { bytes, count, oneLine, table } from "./print.ts";
import { readRequest, textsOption, WrongWords, type Words } from "./args.ts";

export type Decided = { readonly mask?: MaskChoice; readonly accept: string[]; readonly hide: string[] };

export function decisionOf(words: Words): Decided {
  const mask = maskOf(words);
  const { accept, hide } = readRequest(decision, {
    mask,
    accept: textsOption(words, "accept"),
    hide: textsOption(words, "hide"),
  });
  return { accept, hide, ...(mask !== undefined && { mask }) };
}

function maskOf(words: Words): MaskChoice | undefined {
  const given = textsOption(words, "mask").flatMap((text) => text.split(",").filter(Boolean));
  const isAll = words.options["mask-all"] === true;
  if (isAll && given.length > 0) throw new WrongWords("--mask and --mask-all were both given. Give one of them.");
  if (isAll) return "all";
  if (given.length === 0) return undefined;
  if (given.length === 1 && (given[0] === "all" || given[0] === "none")) return given[0];
  return given.map((text) => {
    const kind = PRIVATE_KINDS.find((known) => text === known || text === PLURALS[known]);
    return kind ?? fail(text);
  });
}

const PLURALS: Readonly<Record<PrivateKind, string>> = {
  secret: "secrets",
  user: "users",
  email: "emails",
  address: "addresses",
};

function fail(text: string): never {
  throw new WrongWords(`--mask is invalid: "${text}" is not secret, user, email, address, all or none.`);
}

const VALUE_CHARS = 48;

export function printReview({ findings, leftOut, notSearched }: ExportReview, masked: MaskChoice): void {
  if (findings.length === 0) console.log("Nothing looks private.");
  else {
    const rows = findings.map(({ id, kind, rule, value, times, places }) => {
      const [{ where, before, after }] = places as [(typeof places)[number]];
      return [
        id,
        rule === null ? kind : `${kind}, ${rule}`,
        oneLine(value, VALUE_CHARS),
        count(times),
        where,
        oneLine(`${before}${value}${after}`, 80),
      ];
    });
    console.log(table(["id", "kind", "value", "times", "first in", "context"], rows, new Set([0, 1, 2, 4, 5])));
  }
  if (leftOut > 0) console.log(`and ${count(leftOut)} more, where only --mask applies`);
  if (notSearched.files > 0)
    console.log(
      `Not searched: ${count(notSearched.files)} images or other binary outputs, ${bytes(notSearched.sizeBytes)}`,
    );
  const now =
    masked === "none"
      ? "Nothing is masked"
      : masked === "secrets"
        ? "Secrets are masked"
        : "Your choice of --mask is masked";
  console.log(`\n${now}. --mask KIND or --mask-all masks, --accept ID shows one, --hide ID masks one.`);
}
