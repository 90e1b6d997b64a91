/**
 * What a hook tells the agent of a session that is no run: read from the embedded database directly, so that it needs no server and
 * says the same with one. Where the record is on PostgreSQL, the server of this machine is asked. Loads no zod and no Kysely.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { issueId, type SessionId, type SubagentId } from '../../domain/ids'
import type { SessionMoment } from '../../domain/recall/recall'
import { sessionRecall } from '../../engine/recall/session-recall'
import { openRecallReader } from '../../store/recall/recall-reader'
import { branchOf } from '../../util/git/git-branch'
import { realProjectOf } from '../../util/git/git-project'
import { notifiedChanges } from '../delivery/notified-changes'
import { handoffFiles } from './handoff-files'
import { isOnPostgres, localServer } from './local-record'
import type { RecallSettings } from './recall-settings'
import { settingsFiles } from './settings-files'

export interface SessionAnswerCall {
  /** Lodeline's folder. */
  home: string
  moment: SessionMoment
  session: SessionId
  origin: SessionId | null
  /** The sub-agent of the session that gets the reminder. */
  subagent?: SubagentId
  /** Where the agent works. */
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  timeoutMs: number
}

/** The reminder; '' = nothing to say. @throws what the database throws: there is no reminder then */
export async function answerSession(call: SessionAnswerCall): Promise<string> {
  const { home, moment, session, origin, subagent, cwd, env } = call
  if (isOnPostgres(home, env)) return await askServer(call)
  const path = join(home, 'lodeline.db')
  if (!existsSync(path)) return ''
  const reader = openRecallReader(path)
  try {
    const folder = realProjectOf(cwd).root
    const { linkFrom, hidesTodos } = await settingsOf(call)
    const given = { handoffs: handoffFiles(home), notified: notifiedChanges(home) }
    const text = await sessionRecall(reader, given, {
      moment,
      sessionId: session,
      origin,
      ...(subagent !== undefined && { subagent }),
      folder,
      named: namedIssue(env),
      links: { branchWords: await wordsOfBranch(cwd), ...(linkFrom && { linkFrom }) },
      hidesTodos,
    })
    // Tasks and hand-overs may hold what nobody parsed. Settings would cost a parser of YAML: here nothing is excepted.
    return text === '' ? '' : (await import('../../domain/secrets/mask')).secretMask().text(text)
  } finally {
    reader.close()
  }
}

/** What reads settings costs more than half of a recall's reading: most have none that matter here. */
async function settingsOf({ home, cwd, env }: SessionAnswerCall): Promise<RecallSettings> {
  const files = settingsFiles(home, cwd, env)
  if (files.length === 0) return { linkFrom: undefined, hidesTodos: false }
  return (await import('./recall-settings')).recallSettings(files, env)
}

/** Without a hyphen a branch names no issue. */
async function wordsOfBranch(cwd: string): Promise<string[]> {
  const branch = branchOf(cwd) ?? ''
  return branch.includes('-') ? (await import('../../domain/issue/issue-mention')).branchWords(branch) : []
}

/** The issue that the environment names, when it looks like one. */
export function namedIssue(env: Readonly<Record<string, string | undefined>>) {
  const text = env.LODELINE_ISSUE
  return text !== undefined && /^[\w.-]{1,200}$/.test(text) ? issueId(text) : null
}

async function askServer({
  home,
  moment,
  session,
  origin,
  subagent,
  cwd,
  env,
  timeoutMs,
}: SessionAnswerCall): Promise<string> {
  if (timeoutMs <= 0) return ''
  const server = await localServer(home, timeoutMs)
  if (server === null) return ''
  const named = namedIssue(env)
  const response = await fetch(new URL('/api/recall', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      moment,
      sessionId: session,
      folder: cwd,
      ...(origin === null ? {} : { origin }),
      ...(subagent === undefined ? {} : { subagentId: subagent }),
      ...(named === null ? {} : { issueId: named }),
    }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return response.ok && response.headers.get('content-type')?.startsWith('text/plain') ? await response.text() : ''
}
