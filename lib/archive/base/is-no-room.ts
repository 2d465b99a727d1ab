/** A failure for which room helps. SHMSIZE is the file beside the database that all connections share. */
export const isNoRoom = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|Unknown system error -122|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(
    String((error as { code?: unknown } | null)?.code ?? ""),
  );
