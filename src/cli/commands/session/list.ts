import { resolve } from 'node:path'
import { SHOWN_SESSION_STATUSES } from '../../../domain/session/session'
import { SESSION_SORTS } from '../../../domain/session/session-list'
import { AGENT_CLI, checkAgentCli, namesClis } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import type { OptionSpecs } from '../../kit/arguments/specs'
import { defineCommand } from '../../kit/command'
import { parsePastMoment } from '../../print/moments'
import { oneLine } from '../../print/text'
import { sessionTable } from '../../views/session/session-views'

const NONE_RECORDED = "no sessions. 'lode up' records those of this machine; 'lode import PATH' imports others."
const NONE_MATCHES = "no session matches. 'lode session list' without options lists all."

/** Options that narrow the list. */
const NARROWING = {
  status: {
    kind: 'text',
    value: 'STATUS',
    choices: SHOWN_SESSION_STATUSES,
    isRepeated: true,
    help: `only sessions with this status: ${SHOWN_SESSION_STATUSES.join(', ')}`,
  },
  project: { kind: 'text', value: 'NAME', help: 'only this project (folder or name), with its worktrees and clones' },
  under: {
    kind: 'text',
    value: 'DIR',
    complete: 'folder',
    help: 'only sessions that work in DIR or below it',
  },
  agent: AGENT_CLI,
  model: { kind: 'text', value: 'MODEL', help: 'only sessions whose newest model is this one' },
  branch: { kind: 'text', value: 'BRANCH', help: 'only sessions on this git branch' },
  host: { kind: 'text', value: 'HOST', help: 'only sessions of this host' },
  person: { kind: 'text', value: 'NAME', help: 'only sessions of tasks that this person asked for' },
  errors: { kind: 'text', value: 'SPAN', help: 'only sessions with so many failed tool calls, e.g. 1.. or 1..5' },
  cost: { kind: 'text', value: 'SPAN', help: 'only sessions that cost so many US dollars, e.g. 1..10' },
  length: { kind: 'text', value: 'SPAN', help: 'only sessions that took so many seconds, e.g. 3600..' },
  since: { kind: 'text', value: 'TIME', help: 'only sessions active since TIME: 7d (ago), 18:30, 2026-11-20' },
  text: { kind: 'text', value: 'WORDS', help: 'only sessions whose title or ID contains these words' },
  'forked-from': {
    kind: 'text',
    value: 'ID',
    complete: 'session',
    help: 'only sessions forked or resumed from this one',
  },
} as const satisfies OptionSpecs

/** Something was asked for beside all that is there. */
const isNarrowed = (options: { [Name in keyof typeof NARROWING]?: string | string[] | undefined }): boolean =>
  Object.keys(NARROWING).some((name) => {
    const given = options[name as keyof typeof NARROWING]
    return given !== undefined && given.length > 0
  })

export const command = defineCommand({
  summary: 'List sessions, newest activity first or in another order',
  options: {
    ...NARROWING,
    sort: {
      kind: 'text',
      value: 'BY',
      choices: SESSION_SORTS,
      fallback: 'active',
      help: `order: ${SESSION_SORTS.join(', ')}`,
    },
    ascending: { kind: 'flag', help: 'smallest or oldest first' },
    ...PAGING,
  },
  examples: [
    { line: 'lode session list', does: 'the 50 most recently active sessions' },
    { line: 'lode session list --status running --status waiting', does: 'sessions that are active now' },
    { line: 'lode session list --sort cost --since 7d', does: 'the most expensive sessions of a week' },
    { line: 'lode session list --errors 1.. --branch main', does: 'sessions on main in which a tool call failed' },
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
          options.status.length === 0
            ? undefined
            : SHOWN_SESSION_STATUSES.filter((each) => options.status.includes(each)),
        agent,
        model: options.model,
        branch: options.branch,
        host: options.host,
        person: options.person,
        errors: options.errors,
        cost: options.cost,
        length: options.length,
        since: options.since === undefined ? undefined : parsePastMoment('--since', options.since, context.io.now()),
        text: options.text,
        forkedFrom: options['forked-from'],
        sort: options.sort,
        ascending: options.ascending || undefined,
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
    if (sessions.length === 0) context.note(isNarrowed(options) ? NONE_MATCHES : NONE_RECORDED)
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
