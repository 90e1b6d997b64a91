import type { Answers } from '../../../api/contract/operations'
import { defineCommand } from '../../kit/command'
import { bytes, localTime, plural } from '../../print/measures'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Show which old sessions are forgotten, and which would be',
  details: [
    'No session is forgotten by its age unless you set one: lode config set retention.days 365. Every hour, a server then forgets the',
    'sessions whose last event is older, as `lode session forget` does. It keeps:',
    '  - sessions whose CLI is alive;',
    '  - conversations of tasks that are not over, and of their parents;',
    '  - sessions that are linked to open issues.',
    'retention.feedDays and retention.taskDays say how long entries of the feed and finished tasks are kept.',
    'The audit log names each forgotten session. With --days, shows what would be forgotten, and changes nothing.',
  ].join('\n'),
  options: {
    days: { kind: 'number', value: 'N', min: 1, max: 36_500, help: 'as if N days were chosen (default: the setting)' },
  },
  examples: [
    { line: 'lode retention', does: 'what is chosen, and what goes at the next look' },
    { line: 'lode retention --days 365 --json', does: 'what a year would mean; print JSON' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const answer = await client.retention({ days: options.days })
    context.answer(answer, () => retentionText(answer, context.io.columns))
  },
})

function retentionText({ chosen, days, ...found }: Answers['retention'], columns: number): string {
  const setting =
    chosen === null
      ? 'retention.days is off: no session is forgotten by age\n'
      : `retention.days is ${chosen}: sessions are forgotten ${plural(chosen, 'day')} after their last event\n`
  if (days === null) return `${setting}To see what would go: lode retention --days 365\n`
  const when = days === chosen ? 'go at the next look of the server' : `would go with ${plural(days, 'day')}`
  const lines = [`${plural(found.count, 'session')} ${when}, ${bytes(found.bytes)}`]
  if (found.oldest !== null && found.newest !== null)
    lines.push(`last events from ${localTime(found.oldest)} to ${localTime(found.newest)}`)
  const held = [
    found.held.process > 0 ? `${found.held.process} with a live CLI` : null,
    found.held.task > 0 ? `${found.held.task} of open tasks` : null,
    found.held.issue > 0 ? `${found.held.issue} of open issues` : null,
  ].filter((part) => part !== null)
  if (held.length > 0) lines.push(`as old, but kept: ${held.join(', ')}`)
  const names = table(
    found.sessions,
    [
      { title: 'ID', cell: ({ id }) => id.slice(0, 8) },
      { title: 'LAST EVENT', cell: ({ lastEventAt }) => localTime(lastEventAt) },
      { title: 'SIZE', cell: (session) => bytes(session.bytes), align: 'right' },
      { title: 'TITLE', cell: ({ title }) => (title === null ? null : oneLine(title)), flexible: 20 },
    ],
    columns,
  )
  const more = found.count - found.sessions.length
  const rest = more > 0 ? `and ${more} newer\n` : ''
  return `${setting}${lines.map((line) => `${line}\n`).join('')}${found.sessions.length === 0 ? '' : `\n${names}${rest}`}`
}
