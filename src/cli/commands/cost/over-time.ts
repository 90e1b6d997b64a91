import { COST_STACKS, type CostsOverTime } from '../../../domain/cost/cost'
import { costsAsCsv } from '../../../domain/cost/cost-csv'
import { COST_STEPS, type CostStep } from '../../../domain/cost/periods'
import { ownTimeZone } from '../../../domain/cost/zone-days'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { count, dollars, localTime } from '../../print/measures'
import { parsePastMoment } from '../../print/moments'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'

/** Stacks that a line names. */
const MOST_NAMED = 3

export const command = defineCommand({
  summary: 'Show model costs by hour, day or week',
  details: `Each period names what cost most in it. Days and weeks are those of this computer's time zone; weeks begin on Monday.
The CSV has a line for each period and each part of it.`,
  options: {
    step: { kind: 'text', value: 'STEP', choices: COST_STEPS, help: 'hour, day or week (default: day)' },
    stack: {
      kind: 'text',
      value: 'WHAT',
      choices: COST_STACKS,
      help: `one of ${COST_STACKS.join(', ')} (default: model)`,
    },
    since: {
      kind: 'text',
      value: 'TIME',
      help: 'only messages since TIME: 7d (ago), 18:30, 2026-11-20 (default: 30d)',
    },
    until: { kind: 'text', value: 'TIME', help: 'only messages before TIME' },
    project: { kind: 'text', value: 'NAME', help: 'only this project (folder, name or ID)' },
    model: { kind: 'text', value: 'NAME', help: 'only this model' },
    agent: AGENT_CLI,
    csv: { kind: 'flag', help: 'print CSV' },
  },
  examples: [
    { line: 'lode cost over-time', does: 'the cost of each of the last 30 days, and which models it was' },
    {
      line: 'lode cost over-time --step hour --since 24h --stack project',
      does: 'the last day by the hour and project',
    },
    { line: 'lode cost over-time --step week --since 365d --csv', does: 'a year of weeks for a spreadsheet' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const now = context.io.now()
    const step = options.step ?? 'day'
    const costs = await client.costsOverTime(
      {
        ...{ step, stack: options.stack ?? 'model', project: options.project, model: options.model },
        since: parsePastMoment('--since', options.since ?? '30d', now),
        until: options.until === undefined ? undefined : parsePastMoment('--until', options.until, now),
        agent: await checkAgentCli(client, options.agent),
        timeZone: ownTimeZone(),
      },
      { signal: context.signal },
    )
    context.answer(costs, () =>
      options.csv ? costsAsCsv(costs).join('') : periodTable(costs, step, context.io.columns),
    )
    if (costs.periods.length === 0 && !context.globals.isJson) context.note('no model messages match.')
  },
})

function periodTable({ stacks, periods }: CostsOverTime, step: CostStep, columns: number): string {
  const rows = periods.map(({ begin, parts }) => {
    const costs = parts.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
    const named = parts
      .toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.tokens - a.tokens)
      .slice(0, MOST_NAMED)
      .map(({ stack, costUsd }) => `${oneLine(stacks[stack]?.label ?? '')} ${dollars(costUsd, false)}`)
    return {
      begin: periodName(begin, step),
      cost: dollars(costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0), false),
      tokens: count(parts.reduce((sum, part) => sum + part.tokens, 0)),
      of: named.join(', '),
    }
  })
  return table(
    rows,
    [
      { title: step.toUpperCase(), cell: (row) => row.begin },
      { title: 'COST', cell: (row) => row.cost, align: 'right' },
      { title: 'TOKENS', cell: (row) => row.tokens, align: 'right', spare: 1 },
      { title: 'OF', cell: (row) => row.of, max: 120, flexible: 20 },
    ],
    columns,
  )
}

/** `2026-11-20`, with `14:00` of an hour. */
const periodName = (begin: string, step: CostStep): string =>
  (localTime(begin) ?? '').slice(0, step === 'hour' ? 16 : 10)
