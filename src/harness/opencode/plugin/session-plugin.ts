import { CALLING_ARGUMENT } from '../../../domain/session/calling-argument'
import { type Plugged, pluginText, type Remind } from './remind'

interface Orders {
  /** The program, as words of a shell. */
  lode: string
  /** The argument that names the session to our tools. */
  argument: string
}
interface Config {
  mcp?: Record<string, object>
}

/**
 * The plugin of a person's own sessions, which stands alone in the CLI's folder. It gives them the recall and their messages, by `lode
 * hook`, and the tools of Lodeline, by `lode mcp`. A run of a task has a plugin of its own. Whatever fails here, the agent works on.
 */
async function plugin({ client, directory }: Plugged, { lode, argument }: Orders, remind: Remind) {
  if (process.env.LODELINE_TASK_ID !== undefined) return {}
  const { spawn } = await import('node:child_process')

  /** What the hook prints; '' = nothing, or it took too long. */
  const hook = (payload: object): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', `exec ${lode} hook --agent opencode --answer`], {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: { ...process.env, OPENCODE_PID: String(process.pid) },
        timeout: 10_000,
        killSignal: 'SIGKILL',
      })
      let said = ''
      child.stdout.on('data', (bytes: Uint8Array) => {
        said += bytes
      })
      child.on('error', () => resolve(''))
      child.on('close', (code: number | null) => resolve(code === 0 ? said.trim() : ''))
      child.stdin.on('error', () => {})
      child.stdin.end(JSON.stringify(payload))
    })

  const { mainOf, ...hooks } = remind({ client, directory }, async (moment, session) => {
    const facts = { session_id: session, cwd: directory }
    return moment === 'prompt'
      ? await hook({ ...facts, hook_event_name: 'UserPromptSubmit' })
      : await hook({ ...facts, hook_event_name: 'SessionStart', source: moment })
  })

  return {
    ...hooks,
    async config(config: Config) {
      // What the person set up by that name stays.
      config.mcp = { lodeline: { type: 'local', command: ['/bin/sh', '-c', `exec ${lode} mcp`] }, ...config.mcp }
    },
    async 'tool.execute.before'(
      { tool, sessionID }: { tool: string; sessionID: string },
      { args }: { args: Record<string, unknown> },
    ) {
      // One server serves all sessions, and knows of none.
      if (tool.startsWith('lodeline_')) args[argument] = await mainOf(sessionID)
    },
    async 'shell.env'({ sessionID }: { sessionID?: string }, { env }: { env: Record<string, string> }) {
      if (sessionID !== undefined) env.LODELINE_SESSION_ID = sessionID
    },
  }
}

/** @param lode  the program as one shell word, with the options that every call has */
export const sessionPlugin = (lode: string): string =>
  pluginText(plugin, { lode, argument: CALLING_ARGUMENT } satisfies Orders)
