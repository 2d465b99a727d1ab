"use client";
import { LOAD_PANELS, useLoadState, type LoadPanel } from "../shared/url-state.ts";
import { chipClass } from "../ui/chip.tsx";

const NAMES: Record<LoadPanel, string> = {
  culprits: "Culprits",
  waterfall: "Waterfall",
  treemap: "Treemap at cursor",
  settings: "Agent settings",
};

/** What stands under the verdict. */
export function PanelSwitch() {
  const [{ panel }, choose] = useLoadState();
  return (
    <fieldset className="flex items-center gap-1">
      <legend className="sr-only">Load view</legend>
      {LOAD_PANELS.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === panel}
          onClick={() => void choose({ panel: name })}
          className={chipClass(name === panel)}
        >
          {NAMES[name]}
        </button>
      ))}
    </fieldset>
  );
}
