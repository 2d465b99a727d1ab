"use client";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/kbd.tsx";
import { useAllShortcuts } from "../ui/keys.ts";

/** Every shortcut that holds on this page, by group. */
export function ShortcutsLayer({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(useAllShortcuts(), (shortcut) => shortcut.group);
  return (
    <Dialog open onClose={onClose} title="Shortcuts" width={440}>
      {[...groups].map(([group, shortcuts]) => (
        <section key={group} className="mt-2 first:mt-0">
          <h3 className="text-12 font-semibold text-ink-2">{group}</h3>
          <dl className="grid grid-cols-[1fr_auto] gap-x-4">
            {shortcuts.map((shortcut) => (
              <div key={shortcut.keys} className="contents">
                <dt className="py-1">{shortcut.label}</dt>
                <dd className="flex justify-end gap-1 py-1">
                  <Keys keys={shortcut.keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
