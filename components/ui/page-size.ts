/** Rows of one question. In a file of its own, since the server counts with it too. */
export const PAGE = 100;
