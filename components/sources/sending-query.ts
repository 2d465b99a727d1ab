import { sendingAnswer } from "#lib/wire/sending-schema.ts";
import { api } from "../ui/api.ts";

/** Whether sessions are sent, as the page and its dialog ask. */
export const sendingQuery = {
  queryKey: ["sending"],
  queryFn: ({ signal }: { signal: AbortSignal }) => api("/api/sending", sendingAnswer, { signal }),
} as const;
