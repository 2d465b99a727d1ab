/** The cookie of somebody who signed in at a fleet: each of its nodes takes it. */
export const PERSON_COOKIE = "plimsoll_fleet";
