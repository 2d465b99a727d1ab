// `Content-Digest: sha-256=:<base64>:` (RFC 9530): what the bytes of a body hash to.
import { fail } from "#lib/kernel/errors.ts";

/**
 * The sha-256 that a header names, in hex; null when there is none. Other algorithms beside it are passed over; alone they
 * are refused, since their sender expects a check that would not be made.
 */
export function digestHeader(values: readonly string[] | undefined): string | null {
  if (values === undefined || values.length === 0) return null;
  const members = values.join(",").split(",");
  const found = members
    .map((member) => /^\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*$/.exec(member)?.[1])
    .filter((text) => text !== undefined);
  const [first, ...others] = found;
  if (first === undefined || others.length > 0)
    fail("invalid", "Content-Digest must name one sha-256: Content-Digest: sha-256=:<44 characters of base64>:");
  return Buffer.from(first, "base64").toString("hex");
}
