/** What became of a transcript that its agent put aside. */
export const ARCHIVED_WORDS = {
  reset: "Its agent began this session anew and put the transcript aside",
  deleted: "Deleted in its agent, which kept the transcript",
} as const;
