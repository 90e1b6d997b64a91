import { MAX_NEEDS } from '../../../api/contract/protocol'
import { ownTimeZone } from '../../../domain/cost/zone-days'
import { defineCommand } from '../../kit/command'
import { restartOf } from '../../views/machine-views'
import { statusView } from '../../views/status-view'

/** Conversations that are listed. */
const RECENT = 5

export const command = defineCommand({
  summary: 'Show what needs you, what runs, costs and limits of today, and recent conversations',
  details: [
    "'needs you' covers questions from runs, sessions waiting for input in a terminal, failed tasks, external requests, stuck sessions",
    '(silent during a turn for stuckAfterMs), lost sessions, tasks that no online worker may take, unread results and undelivered',
    'messages. lode alone, at a terminal, shows the same.',
  ].join('\n'),
  examples: [
    { line: 'lode status', does: 'a summary, followed by what needs you and the commands to handle it' },
    { line: 'lode status --json', does: 'print one JSON document; server is null if none is running' },
  ],
  async run(context) {
    const { client, url } = await context.connection()
    const { signal, io } = context
    // One after the other: where no server runs, the first brings the record up to date for the others.
    const status = await client.status({ signal })
    const day = new Date(io.now())
    day.setHours(0, 0, 0, 0)
    const [overview, { total: today }, { budgets, usageLimits, usageWindows }, { sessions: recent }, { agents }] =
      await Promise.all([
        client.overview({ limit: MAX_NEEDS }, { signal }),
        client.costs({ by: 'model', since: day.toISOString(), timeZone: ownTimeZone(), limit: 1 }, { signal }),
        client.budgets.list({ signal }),
        client.sessions.list({ limit: RECENT }, { signal }),
        client.agents.list({}, { signal }),
      ])
    const { needs, running } = overview
    const restarts = agents.filter((agent) => restartOf(agent) !== null)
    context.answer(
      { server: url, ...status, needs, running, today, budgets, usageLimits, usageWindows, recent, restarts },
      () =>
        statusView(
          { status, overview, today, budgets, usageLimits, usageWindows, recent, restarts, url },
          { now: io.now(), columns: io.columns },
        ),
    )
  },
})
