/** Lists of tools or skills that an agent or advisor has. */
import { z } from 'zod'

/** Names, or beginnings of names with a final `*`. An empty list is none. */
export const nameListSchema: z.ZodType<readonly string[], unknown> = z
  .array(
    z
      .string()
      .regex(/^[\w.-]*\*?$/, 'is not a name; write it as in "notes_search" or "files__*"')
      .min(1)
      .max(100),
  )
  .max(200)
