import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BUDGET_ACTIONS, BUDGET_PERIODS, type BudgetUnit } from '../../../domain/budget/budget'
import { ownTimeZone } from '../../../domain/cost/zone-days'
import { projectOf } from '../../../util/git/git-project'
import { checkAgentCli } from '../../kit/arguments/agent-cli'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { budgetLine, parseAmount } from '../../views/budget-views'

export const command = defineCommand({
  summary: 'Add a budget, or change one',
  details: [
    'A budget counts what agents used, as lode cost list does, in a day, in a month, or ever. Without a filter it counts everything.',
    '',
    '  warn      tells you when it is nearly used up, and when it is',
    '  ask       the same; its tasks begin no further turn until you allow more',
    '  park      the same, and its runs are stopped; they go on when you allow more',
    '',
    'When the next day or month begins, everything continues by itself. An existing NAME changes only what you pass.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'what you call the budget' }],
  options: {
    usd: { kind: 'text', value: 'N', help: 'the limit in US dollars, such as 20 or 2.50' },
    tokens: { kind: 'text', value: 'N', help: 'the limit in tokens, such as 500k or 20M; cached tokens count too' },
    per: {
      kind: 'text',
      value: 'PERIOD',
      choices: BUDGET_PERIODS,
      help: `${BUDGET_PERIODS.join(', ')} (default: day; of a task ever)`,
    },
    action: {
      kind: 'text',
      value: 'ACTION',
      choices: BUDGET_ACTIONS,
      help: `${BUDGET_ACTIONS.join(', ')} (default: warn)`,
    },
    project: {
      kind: 'text',
      value: 'DIR|NAME',
      help: 'only what is of this project; - = all',
      complete: 'folder',
    },
    agent: { kind: 'text', value: 'NAME', help: 'only this agent CLI: claude-code, codex and so on; - = all' },
    subagent: { kind: 'text', value: 'TYPE', help: 'only sub-agents of this type; with warn alone; - = all' },
    task: { kind: 'text', short: 't', value: 'ID', complete: 'task', help: 'only this task and all tasks below it' },
    zone: { kind: 'text', value: 'ZONE', help: 'whose days and months (default: of this machine)' },
  },
  examples: [
    { line: 'lode budget add daily --usd 20 --action park', does: 'stops all runs when a day has cost $20' },
    {
      line: 'lode budget add codex --tokens 50M --per month --agent codex',
      does: 'warns at 50 million tokens a month',
    },
    {
      line: 'lode budget add app --usd 5 --project ~/app --action ask',
      does: 'asks before a project uses more than $5 a day',
    },
  ],
  async run(context, { args: [name = ''], options }) {
    const fail = usageError(context.path)
    if (options.usd !== undefined && options.tokens !== undefined) throw fail('Pass either --usd or --tokens.')
    const limit = (unit: BudgetUnit, text: string) => ({ unit, most: parseAmount(`--${unit}`, text, unit) })
    const client = await context.client()
    const { project, agent, subagent } = options
    const known = agent === undefined || agent === '-' ? undefined : await checkAgentCli(client, agent)
    const answer = await client.budgets.put(name, {
      ...(options.usd !== undefined && limit('usd', options.usd)),
      ...(options.tokens !== undefined && limit('tokens', options.tokens)),
      ...(options.per !== undefined && { period: options.per }),
      ...(options.action !== undefined && { action: options.action }),
      ...(project !== undefined && { project: project === '-' ? null : projectIn(context.io.cwd, project) }),
      ...(agent !== undefined && { agentCli: known ?? null }),
      ...(subagent !== undefined && { subagent: subagent === '-' ? null : subagent }),
      ...(options.task !== undefined && { taskId: options.task }),
      zone: options.zone ?? ownTimeZone(),
    })
    context.answer(answer, () => oneLine(budgetLine(answer.budget)).concat('\n'))
  },
})

/** A folder is the project around it; anything else is a project's name or ID. */
function projectIn(cwd: string, given: string): string {
  const folder = resolve(cwd, given)
  return existsSync(folder) ? (projectOf(folder).root ?? given) : given
}
