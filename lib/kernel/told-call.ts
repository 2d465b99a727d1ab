// Calls whose own names stand in an earlier part of their file: a record there tells the call already.

/** Begins the key of such a call. */
export const TOLD = "record:";

/** The key, by `recordKey` of an event of that call. Where no file has the record, the call is told by this key alone. */
export const toldBy = (recordKey: string): string => TOLD + recordKey;
