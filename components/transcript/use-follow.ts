"use client";
// A running session's feed stays at its end as events come, until the reader scrolls up.
import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type RefObject } from "react";

/** Nearer to the end than this is at the end. */
const NEAR_PX = 48;

type FollowRequest = {
  box: RefObject<HTMLDivElement | null>;
  running: boolean;
  count: number;
  virtual: Virtualizer<HTMLDivElement, Element>;
  startsAtEnd: boolean;
};

export function useFollow({ box, running, count, virtual, startsAtEnd }: FollowRequest) {
  const [isFollowing, setFollowing] = useState(startsAtEnd);
  const lastTop = useRef(0);
  const height = virtual.getTotalSize();
  useEffect(() => {
    if (running && isFollowing && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- rows that are measured move the end
  }, [running, isFollowing, count, virtual, height]);
  const onScroll = () => {
    const element = box.current;
    if (!element || !running) return;
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Measuring rows moves the end, never the reader upwards: only a smaller scrollTop is the reader's hand.
    if (element.scrollTop < lastTop.current - 4 && fromEnd > NEAR_PX) setFollowing(false);
    else if (fromEnd <= NEAR_PX) setFollowing(true);
    lastTop.current = element.scrollTop;
  };
  return { isFollowing, onScroll, resume: () => setFollowing(true) };
}
