import { Mark } from "../ui/mark.tsx";

/** Over the whole page while files are dragged above it. */
export const DropOverlay = () => (
  <div className="appear pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-3 border border-dashed border-control bg-bg/90">
    <div className="text-center">
      <div className="grid place-items-center text-ink-3">
        <Mark height={36} />
      </div>
      <p className="mt-2 font-semibold">Drop session files to read them</p>
    </div>
  </div>
);
