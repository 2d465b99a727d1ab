import { queryOptions } from "@tanstack/react-query";
import { summarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { api } from "../ui/api.ts";

/** The model that a person set up, or that none is. */
export const summarizerQuery = queryOptions({
  queryKey: ["settings", "summarizer"],
  queryFn: ({ signal }) => api("/api/settings/summarizer", summarizerAnswer, { signal }),
});
