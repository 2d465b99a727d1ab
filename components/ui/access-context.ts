"use client";
// What of this server whoever signed in may see. On a node of a fleet somebody of a project sees what their project has; pages and
// actions that concern the server itself are not offered to them, as their requests would be refused.
import { createContext, useContext } from "react";

export type Access = {
  readonly seesAll: boolean;
  readonly isNode: boolean;
  readonly writes: boolean;
  readonly runsServer: boolean;
  readonly person: string | null;
  /** Projects of a fleet that they manage. */
  readonly manages: Managed;
};

/** Names of projects; all of them for an admin of the fleet. */
export type Managed = "all" | readonly string[];

export const AccessContext = createContext<Access>({
  ...{ seesAll: true, isNode: false, writes: true, runsServer: true, person: null, manages: [] },
});
/** The address of who signed in at a node; null for the link that a server prints. */
export const usePerson = (): string | null => useContext(AccessContext).person;
/** The projects of a fleet whose people, tokens and limits they manage: none on one machine. */
export const useManages = (): Managed => useContext(AccessContext).manages;
/** This server is a node of a fleet. */
export const useIsNode = (): boolean => useContext(AccessContext).isNode;
/** They may write in a project at least. */
export const useWrites = (): boolean => useContext(AccessContext).writes;
/** They came with the link that this server prints: its tokens, its model and what it sends are theirs alone. */
export const useRunsServer = (): boolean => useContext(AccessContext).runsServer;
export const useSeesAll = (): boolean => useContext(AccessContext).seesAll;
