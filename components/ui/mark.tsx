// The mark: a ring cut by a bar that overshoots it both ways. The bar clears the ring by 1.5 units.

export function Mark({ height = 18 }: { height?: number }) {
  return (
    <svg width={height * 1.3} height={height} viewBox="0 0 26 20" fill="none" aria-hidden="true">
      <path
        d="M6.1 7.3A7.4 7.4 0 0 1 19.9 7.3M19.9 12.7A7.4 7.4 0 0 1 6.1 12.7"
        stroke="currentColor"
        strokeWidth="2.2"
      />
      <path d="M1.2 10H24.8" stroke="var(--load-line)" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}
