// Apart from what reads them: the help loads the words of all commands, and nothing else.
import { flag, texts, type Option } from "./option.ts";

/** The options of every command that hands a session on. */
export const REVIEW_OPTIONS: Readonly<Record<string, Option>> = {
  review: flag("list private-looking values; write nothing"),
  mask: texts("KIND", "mask these: secret, user, email, address; all or none"),
  "mask-all": flag("mask every finding"),
  accept: texts("ID", "show this value of the review"),
  hide: texts("ID", "mask this value of the review"),
};
