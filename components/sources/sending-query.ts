import { queryOptions } from "@tanstack/react-query";
import { sendingAnswer } from "#lib/wire/sending-schema.ts";
import { api } from "../ui/api.ts";

/** Whether sessions are sent, as the page and its dialog ask. */
export const sendingQuery = queryOptions({
  queryKey: ["sending"],
  queryFn: ({ signal }) => api("/api/sending", sendingAnswer, { signal }),
});
