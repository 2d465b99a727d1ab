/** What SQLite says of pages that are not what was written, or of a file that is no database. */
export const isDamaged = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return /^(SQLITE_CORRUPT\w*|SQLITE_NOTADB)$/.test(String(code)) || (cause !== undefined && isDamaged(cause));
};
