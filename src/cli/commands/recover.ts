import { resolve } from 'node:path'
import { callingSession } from '../calling-session'
import { defineCommand } from '../command'
import { usageError } from '../parse-args'
import { oneLine } from '../text'
import { recoveredView } from '../views/recover-views'

export const command = defineCommand({
  summary: 'Show what was launched in the background and what became of it',
  details: [
    'What still runs (with the end of its output), what has finished and was not read by its parent, what failed and what was lost;',
    'then how each is read. Of the session that calls, else of all sessions of the project in this folder.',
  ].join('\n'),
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'of this session' },
    project: { kind: 'text', short: 'p', value: 'DIR', help: 'of the sessions that work in this folder or below' },
    all: { kind: 'flag', help: 'also what was read, and what somebody stopped' },
    limit: { kind: 'number', value: 'N', min: 1, max: 1_000, help: 'rows at most (default 100)' },
  },
  examples: [
    { line: 'lode recover', does: 'what this session, or this project, left running or unread' },
    { line: 'lode recover --session 3f2a9c1e --json', does: 'of one session, as {sessionId, work, total}' },
  ],
  async run(context, { options }) {
    const { session, project, all, limit } = options
    if (session !== undefined && project !== undefined)
      throw usageError(context.path)('Choose one of --session and --project.')
    const client = await context.client()
    const wish = { ...(limit !== undefined && { limit }), ...(all && { all }) }
    const called = project === undefined ? await callingSession(context, session) : null
    const view = { now: context.io.now(), columns: context.io.columns }
    const empty = (shown: number, total: number, where: string): void => {
      if (context.globals.isJson || shown > 0) return
      context.note(`nothing runs or is unread in ${where}${total > 0 ? ` (${total} in all: --all)` : ''}`)
    }
    // A person in a folder wants to know of the project; a session that happens to be the only one there is part of it.
    if (called !== null && called.evidence !== ONLY_ONE) {
      const answer = await client.sessions.recover(called.id, wish)
      context.answer(answer, () => recoveredView(answer.work, [], view))
      empty(answer.work.length, answer.total, `session ${oneLine(answer.sessionId)}`)
      return
    }
    const folder = resolve(context.io.cwd, project ?? '.')
    const answer = await client.recover({ project: folder, ...wish })
    context.answer(answer, () => recoveredView(answer.work, answer.sessions, view))
    empty(answer.work.length, answer.total, oneLine(answer.project))
  },
})

const ONLY_ONE = 'the only one that lives here'
