// The parameters of paths, checked at the door: an id that could be anything else never reaches the archive.
import { z } from "zod";

/** `s_` + 16 hex, or the native id where an address carries it (`<format>:<native>`). */
export const sessionParams = z.object({
  id: z.string().regex(/^(s_[0-9a-f]{4,16}|[a-z0-9-]{2,40}:[A-Za-z0-9._~-]{1,200})$/, "is not the id of a session"),
});

export const eventParams = sessionParams.extend({
  seq: z
    .string()
    .regex(/^\d{1,12}$/, "is not the number of an event")
    .transform(Number),
});

/** `art:<uuid>`, the content's `art_<16 hex>`, or a digest. */
export const artifactParams = z.object({
  pointer: z
    .string()
    .regex(/^(art:[0-9A-Za-z][0-9A-Za-z-]{3,63}|art_[0-9a-f]{16}|[0-9a-f]{64})$/, "is not the pointer of an artifact"),
});
