"use client";
// The server reads the platform from the request, so that the first paint names the right keys.
import { createContext, useContext } from "react";

export const PlatformContext = createContext({ mac: false });
export const useIsMac = (): boolean => useContext(PlatformContext).mac;
