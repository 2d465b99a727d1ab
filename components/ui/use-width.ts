"use client";
import { useContext, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { WIDTH_COOKIE } from "#lib/wire/page-width.ts";
import { PlatformContext } from "./platform-context.ts";

/** The width of an element as it changes, in pixels; that of the window before it was measured. */
export function useWidth<Found extends HTMLElement>(): [RefObject<Found | null>, number] {
  const ref = useRef<Found>(null);
  const [width, setWidth] = useState(useContext(PlatformContext).width);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      setWidth(element.clientWidth);
      document.cookie = `${WIDTH_COOKIE}=${innerWidth};path=/;SameSite=Strict`;
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
