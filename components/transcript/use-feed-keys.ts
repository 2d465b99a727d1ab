"use client";
// j and k step events, J and K turns. They start from the chosen event when it is on screen, else from the top row.
import { useEffect, useMemo, useRef } from "react";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam } from "../shared/url-state.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { stepsFrom, turnRow, type Rows } from "../shared/transcript-rows.ts";

export function useFeedKeys(rows: Rows): void {
  const { goTo, visible } = useSession();
  const [chosen] = useEventParam();
  // A second press may come before the first one has been drawn: it goes on from there all the same.
  const latest = useRef(chosen);
  useEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  const shortcuts = useMemo<Shortcut[]>(() => {
    const here = () => stepsFrom(rows, latest.current, visible.get());
    const seqAt = (at: number) =>
      rows.outline.seq[rows.shown[Math.max(0, Math.min(rows.shown.length - 1, at))] as number];
    const choose = (seq: number | undefined, align: "auto" | "start") => {
      if (seq === undefined) return;
      latest.current = seq;
      goTo(seq, { align });
    };
    const step = (by: 1 | -1) => {
      const { at, isChosen } = here();
      choose(seqAt(isChosen ? at + by : at), "auto");
    };
    const turn = (by: 1 | -1) => choose(seqAt(turnRow(rows, here().at, by)), "start");
    const group = "Transcript";
    return [
      { keys: "j", label: "Next event", group, run: () => step(1) },
      { keys: "k", label: "Previous event", group, run: () => step(-1) },
      { keys: "J", label: "Next turn", group, run: () => turn(1) },
      { keys: "K", label: "Previous turn", group, run: () => turn(-1) },
    ];
  }, [rows, goTo, visible]);
  useShortcuts(shortcuts);
}
