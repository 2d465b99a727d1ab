// How deep a session sits: a ring filled from below, the load line across it at 100 %. Over the line the
// ring is full. Always beside words, so it has no name of its own.

type HullProps = {
  /** Peak load in percent of the load line. */
  percent: number;
  size?: number;
};

const RADIUS = 5.2;
const FLOOR = 7 + RADIUS;
const LINE = 6.3;

export function Hull({ percent, size = 14 }: HullProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      <path d={water(percent / 100)} fill="currentColor" />
      <circle cx="7" cy="7" r={RADIUS} fill="none" stroke="currentColor" strokeWidth="1.2" />
      <path d={`M.5 ${LINE}H13.5`} stroke="var(--bg)" strokeWidth="3" />
      <path d={`M.5 ${LINE}H13.5`} stroke="var(--load-line)" strokeWidth="1.6" />
    </svg>
  );
}

function water(share: number): string {
  if (share > 1) return `M7 ${7 - RADIUS}a${RADIUS} ${RADIUS} 0 1 1 -.01 0Z`;
  const level = FLOOR - (FLOOR - LINE) * Math.max(0, share);
  const half = Math.sqrt(Math.max(0, RADIUS ** 2 - (level - 7) ** 2));
  return `M${(7 - half).toFixed(2)} ${level.toFixed(2)}A${RADIUS} ${RADIUS} 0 ${level < 7 ? 1 : 0} 0 ${(7 + half).toFixed(2)} ${level.toFixed(2)}Z`;
}
