/** A failure for which room helps. */
export const isNoRoom = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|Unknown system error -122|SQLITE_FULL)$/.test(
    String((error as { code?: unknown } | null)?.code ?? ""),
  );
