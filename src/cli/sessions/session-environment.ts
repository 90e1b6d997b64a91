/** The variable that `lode` commands find the calling session in: hooks export it where the CLI itself names its session nowhere. */
export const SESSION_VARIABLE = 'LODELINE_SESSION_ID'

/** Variables in which agent CLIs name the session to the commands that they run. A sub-agent's commands get the root's. */
const CLI_VARIABLES = [
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_SESSION_ID',
  'COPILOT_AGENT_SESSION_ID',
  'PI_SESSION_ID',
] as const

/**
 * The session that an environment names, and the variable; `null` = none. Where one agent CLI runs inside another, both name theirs: which
 * is the inner one nobody can tell.
 */
export function sessionIn(env: Readonly<Record<string, string | undefined>>): { name: string; id: string } | null {
  const named = CLI_VARIABLES.flatMap((name) => {
    const id = env[name]
    return id !== undefined && SESSION_ID.test(id) ? [{ name, id }] : []
  })
  if (new Set(named.map(({ id }) => id)).size > 1) return null
  const [first] = named
  const own = env[SESSION_VARIABLE]
  return first ?? (own !== undefined && SESSION_ID.test(own) ? { name: SESSION_VARIABLE, id: own } : null)
}

const SESSION_ID = /^[\w-]{1,200}$/
