import type { Status } from '../../api/contract/wire'
import { SESSION_STATUSES } from '../../domain/session'
import { defineCommand } from '../command'
import { age, bytes, duration, plural } from '../measures'
import { fields } from '../table'
import { cut, oneLine } from '../text'
import { ago } from '../views/session-views'

export const command = defineCommand({
  summary: 'Show whether a server runs, what is recorded and what is going on',
  examples: [
    { line: 'lode status', does: 'a few lines: server, sessions by status, collector, storage' },
    { line: 'lode status --json', does: 'the same as one document; server is null when none runs' },
  ],
  async run(context) {
    const { client, url } = await context.connection()
    const status = await client.status({ signal: context.signal })
    context.answer({ server: url, ...status }, () => statusView(status, url, context.io.now()))
  },
})

/** @param url  the server's address; `null` = the answer was made in this process */
export function statusView(status: Status, url: string | null, now: number): string {
  const { sessions, newestActivity, collector, storage } = status
  const by = SESSION_STATUSES.flatMap((each) => (sessions.byStatus[each] ? [`${sessions.byStatus[each]} ${each}`] : []))
  if (sessions.older > 0) by.push(`${sessions.older} older`)
  const behind = collector && collector.filesBehind > 0 ? `, ${plural(collector.filesBehind, 'file')} behind` : ''
  return fields([
    [
      'server',
      url === null
        ? "none runs (start one with 'lode up')"
        : `${url}, version ${status.version}, up ${duration(status.uptimeMs)}`,
    ],
    ...tasksLines(status),
    ['needs you', needsYou(status)],
    ['sessions', `${sessions.total}${by.length > 0 ? ` (${by.join(', ')})` : ''}`],
    [
      'newest',
      newestActivity === null
        ? null
        : `${newestActivity.at === null ? '-' : ago(newestActivity.at, now)}  ${newestActivity.sessionId.slice(0, 8)}  ${cut(oneLine(newestActivity.title ?? ''), 80)}`,
    ],
    [
      'collector',
      collector === null
        ? null
        : `${collector.isRunning ? 'follows' : 'stopped;'} ${plural(collector.files, 'file')} in ${collector.roots.map(oneLine).join(', ') || 'no folder'}${behind}` +
          (collector.lastScanAt === null ? '' : `, looked ${age(collector.lastScanAt, now)} ago`),
    ],
    ...(collector?.problems ?? []).slice(0, 5).map(({ path, reason }) => ['problem', `${path}: ${reason}`] as const),
    ['storage', `${storage.kind}, ${storage.location}${storage.bytes === null ? '' : `, ${bytes(storage.bytes)}`}`],
  ])
}

/** What runs and what waits; nothing where tasks were never used. */
function tasksLines({ tasks: { byStatus }, agents }: Status): [string, string][] {
  const part = (n: number, words: string) => (n > 0 ? [`${n} ${words}`] : [])
  const parts = [
    ...part(byStatus.in_progress, 'running'),
    ...part(byStatus.unassigned + byStatus.pending, 'waiting'),
    ...part(byStatus.paused, 'paused'),
    ...part(byStatus.failed, 'failed'),
    ...part(byStatus.completed, 'completed'),
  ]
  const workers = agents.total === 0 ? 'no worker' : `${agents.online} of ${plural(agents.total, 'agent')} online`
  if (parts.length === 0 && agents.total === 0) return []
  return [['tasks', `${parts.join(', ') || 'none'}; ${workers}`]]
}

/** What waits for a person, with where to look; `null` = nothing. */
function needsYou({ needsYou: { questions, failures, requests, messages } }: Status): string | null {
  const part = (n: number, word: string, command: string) => (n > 0 ? [`${plural(n, word)} ('${command}')`] : [])
  const parts = [
    ...part(questions, 'open question', 'lode question list'),
    ...part(failures, 'failed task', 'lode task list --status failed'),
    ...part(requests, 'new request', 'lode inbox list --status new'),
    ...part(messages, 'unread message', 'lode message list --status produced'),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}
