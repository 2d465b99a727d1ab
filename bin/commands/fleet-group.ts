import type { Command } from "./args.ts";
import { flag, text, texts } from "./option.ts";

/** Commands of machines that share one catalogue: docs/fleet.md. */
export const FLEET_COMMANDS: readonly Command[] = [
  {
    name: "send",
    args: ["[PATH…]"],
    options: {
      to: text("URL", "a node of the fleet (default: PLIMSOLL_SEND_TO)"),
      project: text("NAME", "project that the sessions go to (default: PLIMSOLL_SEND_PROJECT, or the token's)"),
      exclude: texts("FOLDER", "keep sessions that ran in this folder or glob here"),
      mask: text("WHAT", "none (default), secrets or all: mask private values before they leave"),
      "dry-run": flag("show what would go, send nothing"),
    },
    about: "send sessions to a fleet; with PATH, import it and send its sessions",
    load: () => import("./send-command.ts"),
  },
  {
    name: "fleet",
    args: ["ACTION", "[WORD…]"],
    options: {
      database: text("URL", "postgres://… (default: PLIMSOLL_DATABASE)"),
      bucket: text("URL", "s3://KEY:SECRET@host/bucket (default: PLIMSOLL_BUCKET)"),
      repair: flag("check: mend what can be mended, and let senders send again what is missing"),
      content: flag("check: read every object, too, and compare it with its name"),
      project: text("NAME", "token, person, audit, deleted, retention, budget: the project"),
      limit: text("N", "audit, deleted: rows (default 100)"),
      "all-projects": flag("token, person: every project"),
      scope: text("SCOPE", "token: send (default), read, write or admin"),
      name: text("TEXT", "token: its name in lists (default: sender); webhook: its new name"),
      person: text("EMAIL", "token: whose it is; usage by person counts what it sends and begins as theirs"),
      role: text("ROLE", "person: reader (default), writer or admin"),
      admin: text("EMAIL", "init: the first admin of the fleet"),
      url: text("URL", "link: a node as browsers see it (default: PLIMSOLL_PUBLIC_URL); webhook: its new address"),
      minutes: text("N", "link: how long it works (default 15)"),
      days: text("N", "token: days until it ends (default 90; 0: never); retention: days that sessions stay"),
      bytes: text("SIZE", "retention: most that the project keeps, such as 50GB"),
      grace: text("DAYS", "sweep: how long what is deleted can be restored (default 7)"),
      adopt: flag("sweep: this database is the bucket's own, though the bucket had later sweeps"),
      reason: text("TEXT", "delete: why, for the audit log"),
      "dry-run": flag("delete, retention set: show what would go"),
      yes: flag("delete: do it"),
      on: text("KINDS", "webhook: of near, refused, compacted, finished, budget, with commas (default: all)"),
      secret: text("SECRET", "webhook: sign with this secret (whsec_…), not a new one"),
      "new-secret": flag("webhook: sign with a new secret"),
      titles: text("YES|NO", "webhook: send titles, and names of projects (default: to this machine only)"),
      enabled: text("YES|NO", "webhook: send to it, or do not"),
    },
    about: "run a fleet: init, check, stats, token, person, delete, budget, webhook …",
    load: () => import("./fleet-command.ts"),
  },
];
