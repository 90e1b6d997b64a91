import { MAX_NEEDS } from '../../api/contract/overview-routes'
import type { ResponseOf } from '../../api/contract/responses'
import type { Status } from '../../api/contract/wire'
import { SESSION_STATUSES } from '../../domain/session'
import { defineCommand } from '../command'
import { age, bytes, duration, plural } from '../measures'
import { fields } from '../table'
import { cut, oneLine } from '../text'
import { needCounts, needList } from '../views/need-views'
import { ago, type ViewSettings } from '../views/session-views'

export const command = defineCommand({
  summary: 'Show whether a server runs, what is recorded, what is going on and what needs you',
  details: [
    'What needs you: questions of runs, sessions that ask for something in their terminal, tasks that failed, requests from outside,',
    'sessions that are stuck (silent in a turn for stuckAfterMs) or lost, tasks that nobody who is online may take, results that',
    'nobody read, messages that nobody got.',
  ].join('\n'),
  examples: [
    {
      line: 'lode status',
      does: 'a few lines: server, sessions by status, storage; then what needs you, with what to type',
    },
    { line: 'lode status --json', does: 'the same as one document; server is null when none runs' },
  ],
  async run(context) {
    const { client, url } = await context.connection()
    const { signal } = context
    // One after the other: where no server runs, the first brings the record up to date for both.
    const status = await client.status({ signal })
    const { needs, counts } = await client.overview({ limit: MAX_NEEDS }, { signal })
    const settings = { now: context.io.now(), columns: context.io.columns }
    context.answer({ server: url, ...status, needs }, () => statusView(status, { needs, counts }, url, settings))
  },
})

/** @param url  the server's address; `null` = the answer was made in this process */
export function statusView(
  status: Status,
  { needs, counts }: Pick<ResponseOf<'overview'>, 'needs' | 'counts'>,
  url: string | null,
  settings: ViewSettings,
): string {
  const { now } = settings
  const { sessions, newestActivity, collector, storage } = status
  const by = SESSION_STATUSES.flatMap((each) => (sessions.byStatus[each] ? [`${sessions.byStatus[each]} ${each}`] : []))
  if (sessions.older > 0) by.push(`${sessions.older} older`)
  const behind = collector && collector.filesBehind > 0 ? `, ${plural(collector.filesBehind, 'file')} behind` : ''
  const facts = fields([
    [
      'server',
      url === null
        ? "none runs (start one with 'lode up')"
        : `${url}, version ${status.version}, up ${duration(status.uptimeMs)}`,
    ],
    ...tasksLines(status),
    ['needs you', needCounts(counts.needs)],
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
  return needs.length === 0 ? facts : `${facts}\n${needList(needs, counts.needs, settings)}`
}

/** What runs and what waits; nothing where tasks were never used. */
function tasksLines({ tasks: { byStatus, asking }, agents }: Status): [string, string][] {
  const part = (n: number, words: string) => (n > 0 ? [`${n} ${words}`] : [])
  const parts = [
    ...part(byStatus.in_progress - asking, 'running'),
    ...part(asking, 'waiting for you'),
    ...part(byStatus.unassigned + byStatus.pending, 'queued'),
    ...part(byStatus.paused, 'paused'),
    ...part(byStatus.failed, 'failed'),
    ...part(byStatus.completed, 'completed'),
  ]
  const workers = agents.total === 0 ? 'no worker' : `${agents.online} of ${plural(agents.total, 'agent')} online`
  if (parts.length === 0 && agents.total === 0) return []
  return [['tasks', `${parts.join(', ') || 'none'}; ${workers}`]]
}
