// Which two artifacts are compared, as the address says it.
export const comparePath = (left: string, right?: string): string =>
  `/artifacts/compare?left=${encodeURIComponent(left)}${right === undefined ? "" : `&right=${encodeURIComponent(right)}`}`;
