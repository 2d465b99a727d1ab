/** Rows of one question: two screens of them. In a file of its own, since the server counts with it too. */
export const PAGE = 50;
