import { MAX_LEVEL } from '../../api/contract/overview-routes'
import { COST_GROUPS } from '../../domain/tree-entry'
import { ownTimeZone } from '../../domain/zone-days'
import { defineCommand } from '../command'
import { parsePastMoment } from '../moments'
import { oneLine } from '../text'
import { costTable } from '../views/cost-views'

export const command = defineCommand({
  summary: 'List what models cost, by project, day, model, kind of sub-agent, session or task',
  details: `Sums of every message that a model wrote, each counted once, by list prices. A project of several clones of one
repository is one. A session that went through several tasks is of each while it had it. Days are those of this machine.`,
  options: {
    by: {
      kind: 'text',
      value: 'WHAT',
      choices: COST_GROUPS,
      help: `one of ${COST_GROUPS.join(', ')}; default: project`,
    },
    since: { kind: 'text', value: 'TIME', help: 'only messages from then on: 7d (ago), 18:30, 2026-11-20' },
    until: { kind: 'text', value: 'TIME', help: 'only messages before then' },
    project: { kind: 'text', value: 'NAME', help: 'only this project: its folder, name or id' },
    model: { kind: 'text', value: 'NAME', help: 'only this model' },
    session: { kind: 'text', short: 's', value: 'ID', help: 'only this session' },
    task: { kind: 'text', short: 't', value: 'ID', help: "only this task's part of its sessions" },
    limit: { kind: 'number', short: 'n', value: 'N', min: 1, max: MAX_LEVEL, fallback: 50, help: 'at most N rows' },
  },
  examples: [
    { line: 'lode cost list', does: 'every project with its tokens and dollars, the dearest first' },
    { line: 'lode cost list --by day --since 30d', does: 'the last 30 days' },
    { line: 'lode cost list --by subagent --project app', does: 'which kinds of sub-agents a project spends on' },
    {
      line: 'lode cost list --by session --json',
      does: 'the dearest sessions as JSON: {by, rows, total, unpriced, estimated, isCut}',
    },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const now = context.io.now()
    const time = (name: string, text: string | undefined) =>
      text === undefined ? undefined : parsePastMoment(name, text, now)
    const costs = await client.costs(
      {
        by: options.by ?? 'project',
        since: time('--since', options.since),
        until: time('--until', options.until),
        project: options.project,
        model: options.model,
        sessionId: options.session,
        taskId: options.task,
        timeZone: ownTimeZone(),
        limit: options.limit,
      },
      { signal: context.signal },
    )
    context.answer(costs, () => costTable(costs, { now, columns: context.io.columns }))
    if (context.globals.isJson) return
    if (costs.rows.length === 0) context.note('no messages of models are recorded for that.')
    if (costs.isCut) context.note('there are more rows: --limit N')
    if (costs.estimated.length > 0)
      context.note(
        `an estimate, by the nearest version of the family, is in these sums for: ${costs.estimated.map(oneLine).join(', ')}`,
      )
    if (costs.unpriced.length > 0)
      context.note(`without models that have no price: ${costs.unpriced.map(oneLine).join(', ')}`)
  },
})
