/** Tells later commands of a session which one it is, where the CLI itself does not (before 2.1.132 it named it nowhere). */
import { appendFileSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** The variable that `lode` commands find the calling session in. */
export const SESSION_VARIABLE = 'LODELINE_SESSION_ID'

/** Appends to the file that the CLI gives to hooks of a session's start: what stands there is exported to each shell command. */
export function exportSession(env: Readonly<Record<string, string | undefined>>, session: string): void {
  const file = env.CLAUDE_ENV_FILE
  if (!file || !isAbsolute(file) || !/^[\w-]{1,200}$/.test(session)) return
  try {
    // A pipe or device in its place would hang the agent.
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isFile()) return
    appendFileSync(file, `export ${SESSION_VARIABLE}='${session}'\n`, { mode: 0o600 })
  } catch {
    // Its commands then ask for --session.
  }
}
