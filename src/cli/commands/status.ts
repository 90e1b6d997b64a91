import type { Answers } from '../../api/contract/operations'
import { MAX_NEEDS } from '../../api/contract/protocol'
import type { Status } from '../../api/contract/wire'
import { SESSION_STATUSES } from '../../domain/session/session'
import { defineCommand } from '../kit/command'
import { age, bytes, duration, plural } from '../print/measures'
import { fields } from '../print/table'
import { cut, oneLine } from '../print/text'
import { needCounts, needList } from '../views/need-views'
import { ago, type ViewSettings } from '../views/session/session-views'

export const command = defineCommand({
  summary: 'Show the server, the record, current activity and what needs your attention',
  details: [
    "'needs you' covers questions from runs, sessions waiting for input in a terminal, failed tasks, external requests, stuck sessions",
    '(silent during a turn for stuckAfterMs), lost sessions, tasks that no online worker may take, unread results and undelivered',
    'messages.',
  ].join('\n'),
  examples: [
    {
      line: 'lode status',
      does: 'a summary, followed by what needs you and the commands to handle it',
    },
    { line: 'lode status --json', does: 'print one JSON document; server is null if none is running' },
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
  { needs, counts }: Pick<Answers['overview'], 'needs' | 'counts'>,
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
        ? "not running (start it with 'lode up')"
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
          (collector.lastScanAt === null ? '' : `, last scan ${age(collector.lastScanAt, now)} ago`),
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
