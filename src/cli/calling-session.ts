import { projectOf } from '../util/git-project'
import type { Context } from './context'
import { SESSION_VARIABLE } from './session-environment'

/** Which session calls, with what says so; `null` = a person, or nothing tells. */
export interface CallingSession {
  id: string
  evidence: string
}

/**
 * The session that this command is called by or for: the one that is named, else what the environment says, else the only one that
 * lives in this folder.
 */
export async function callingSession(context: Context, named: string | undefined): Promise<CallingSession | null> {
  if (named !== undefined) return { id: named, evidence: '--session' }
  const { env, cwd } = context.io
  for (const name of ['CLAUDE_CODE_SESSION_ID', SESSION_VARIABLE]) {
    const id = env[name]
    if (id !== undefined && /^[\w-]{1,200}$/.test(id)) return { id, evidence: name }
  }
  const client = await context.client()
  const { root } = projectOf(cwd)
  const { sessions } = await client.sessions.list({ under: root, status: ['running', 'waiting', 'idle'], limit: 2 })
  const [only] = sessions
  return only !== undefined && sessions.length === 1 ? { id: only.id, evidence: 'the only one that lives here' } : null
}
