import { resolve } from 'node:path'
import { SESSION_STATUSES } from '../../../domain/session/session'
import { AGENT_CLI, checkAgentCli, namesClis } from '../../kit/agent-cli'
import { defineCommand } from '../../kit/command'
import { listRows, PAGING } from '../../kit/paging'
import { oneLine } from '../../print/text'
import { sessionTable } from '../../views/session/session-views'

const NONE_RECORDED = "no sessions. 'lode up' records those of this machine; 'lode import PATH' imports others."
const NONE_MATCHES = "no session matches. 'lode session list' without options lists all."

/** Something was asked for beside all that is there. */
const isFiltered = (options: {
  project?: string
  under?: string
  agent?: string
  'forked-from'?: string
  status: string[]
}) =>
  [options.project, options.under, options.agent, options['forked-from']].some((each) => each !== undefined) ||
  options.status.length > 0

export const command = defineCommand({
  summary: 'List sessions, newest activity first',
  options: {
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: SESSION_STATUSES,
      isRepeated: true,
      help: `only sessions with this status: ${SESSION_STATUSES.join(', ')}`,
    },
    project: { kind: 'text', value: 'NAME', help: 'only this project (folder or name)' },
    under: {
      kind: 'text',
      value: 'DIR',
      complete: 'folder',
      help: 'only sessions that work in DIR or below it',
    },
    agent: AGENT_CLI,
    'forked-from': {
      kind: 'text',
      value: 'ID',
      complete: 'session',
      help: 'only sessions forked or resumed from this one',
    },
    ...PAGING,
  },
  examples: [
    { line: 'lode session list', does: 'the 50 most recently active sessions' },
    { line: 'lode session list --status running --status waiting', does: 'sessions that are active now' },
    { line: 'lode session list --under . --json', does: 'the sessions of this folder as JSON: {sessions, nextCursor}' },
    { line: 'lode session list --all', does: 'every recorded session' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const agent = await checkAgentCli(client, options.agent)
    const { rows: sessions, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.sessions.list({
        limit,
        cursor,
        project: options.project,
        under: options.under === undefined ? undefined : resolve(context.io.cwd, options.under),
        status:
          options.status.length === 0 ? undefined : SESSION_STATUSES.filter((each) => options.status.includes(each)),
        agent,
        forkedFrom: options['forked-from'],
      })
      return { rows: page.sessions, nextCursor: page.nextCursor }
    })
    const view = {
      ...{ now: context.io.now(), columns: context.io.columns },
      namesClis:
        sessions.length > 0 &&
        (await namesClis(
          context,
          sessions.map((session) => session.agent),
        )),
    }
    context.answer({ sessions, nextCursor }, () => sessionTable(sessions, view))
    if (context.globals.isJson) return
    if (sessions.length === 0) context.note(isFiltered(options) ? NONE_MATCHES : NONE_RECORDED)
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
