import { resolve } from 'node:path'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { callingSession } from '../../sessions/calling-session'
import { recoveredView } from '../../views/session/recover-views'

export const command = defineCommand({
  summary: 'List background work that is running, unread, failed or lost',
  details: [
    'Lists background work that is still running (with its last output), finished but unread by its parent, failed or lost, and the',
    'command that shows each. Covers the calling session, or every session of the project in this folder.',
  ].join('\n'),
  options: {
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only work of this session' },
    project: { kind: 'text', short: 'p', value: 'DIR', help: 'only work of sessions in DIR or below it' },
    agent: AGENT_CLI,
    all: { kind: 'flag', help: 'include work that was read or stopped' },
    limit: { kind: 'number', value: 'N', min: 1, max: 1_000, help: 'show at most N rows (default 100)' },
  },
  examples: [
    { line: 'lode recover', does: 'the background work of this session or project' },
    {
      line: 'lode recover --session 3f2a9c1e --json',
      does: 'the work of one session as JSON: {sessionId, work, total}',
    },
  ],
  async run(context, { options }) {
    const { session, project, all, limit, agent } = options
    if (session !== undefined && project !== undefined)
      throw usageError(context.path)('Use either --session or --project, not both.')
    if (session !== undefined && agent !== undefined)
      throw usageError(context.path)('--agent narrows the sessions of a project: leave out --session.')
    const client = await context.client()
    const wish = { ...(limit !== undefined && { limit }), ...(all && { all }) }
    const called = project === undefined && agent === undefined ? await callingSession(context, session) : null
    const view = { now: context.io.now(), columns: context.io.columns }
    const empty = (shown: number, total: number, where: string): void => {
      if (context.globals.isJson || shown > 0) return
      context.note(`nothing is running or unread in ${where}${total > 0 ? ` (${total} in total; use --all)` : ''}`)
    }
    // A person in a folder wants to know of the project; a session that happens to be the only one there is part of it.
    if (called !== null && called.evidence !== ONLY_ONE) {
      const answer = await client.sessions.recover(called.id, wish)
      context.answer(answer, () => recoveredView(answer.work, [], view))
      empty(answer.work.length, answer.total, `session ${oneLine(answer.sessionId)}`)
      return
    }
    const folder = resolve(context.io.cwd, project ?? '.')
    const answer = await client.recover({ project: folder, agent: await checkAgentCli(client, agent), ...wish })
    context.answer(answer, () => recoveredView(answer.work, answer.sessions, view))
    empty(answer.work.length, answer.total, oneLine(answer.project))
  },
})

const ONLY_ONE = 'the only live session here'
