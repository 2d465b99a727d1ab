// What an agent deletes by itself, as its settings say.
/** So many days after a file was last changed its agent deletes it. */
export type CleanupDays = { readonly days: number; readonly isDefault: boolean };

export type CleanupBySetting = {
  readonly setting: string;
  /** The folder of a file in which its agent deletes; null for a file elsewhere. */
  folder(path: string): string | null;
  /** The file of settings for such a folder. */
  settings(folder: string): string;
  /** What that file says; null for one that does not exist. */
  read(settings: string | null): CleanupDays | "never" | "unknown";
};
