import { defaultRateLimit } from "nuqs";

/**
 * When what was typed goes into the URL: after a pause, as its parser says; emptied, at once. A link that is opened while
 * an update of the old page's URL is still to come would be taken back by it.
 */
export const whenTyped = (text: string) => (text === "" ? { limitUrlUpdates: defaultRateLimit } : {});
