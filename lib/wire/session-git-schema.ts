// Branch, commits and pull requests of a session: what its log says, and what the repository has of it.
import { z } from "zod";

export const sessionGit = z.object({
  /** As the agent wrote it down. */
  branch: z.string().nullable(),
  commits: z.array(
    z.object({
      /** The whole name where the repository was read; else as git printed it. */
      sha: z.string(),
      branch: z.string().nullable(),
      subject: z.string(),
      at: z.string().nullable(),
      /** The result that names it; null of a commit that the repository alone has. */
      seq: z.number().nullable(),
      /** `log`: a tool of this session made it. `repository`: it was made meanwhile, by whomever. */
      from: z.enum(["log", "repository"]),
      /** False: it was rewritten or dropped since. Null: the repository could not be read. */
      exists: z.boolean().nullable(),
    }),
  ),
  pulls: z.array(
    z.object({
      url: z.string(),
      repository: z.string(),
      number: z.number(),
      at: z.string().nullable(),
      seq: z.number(),
    }),
  ),
  /** The folder of the repository; null where none is there, or it could not be read. */
  repository: z.string().nullable(),
});
export type SessionGit = z.infer<typeof sessionGit>;
