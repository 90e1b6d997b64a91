import { MAX_LEVEL } from '../../../api/contract/protocol'
import { ownTimeZone } from '../../../domain/cost/zone-days'
import { COST_GROUPS } from '../../../domain/overview/tree-entry'
import { AGENT_CLI, checkAgentCli, namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { parsePastMoment } from '../../print/moments'
import { oneLine } from '../../print/text'
import { costTable } from '../../views/session/cost-views'
import { unknownText } from '../../views/session/session-views'

export const command = defineCommand({
  summary: 'List model costs by project, day, model, agent CLI, sub-agent type, session or task',
  details: `Adds up the list price of every model message; each message counts once. Clones of one repository count as one
project. A session that worked on several tasks counts toward each for the time it worked on it. Days are local days.`,
  options: {
    by: {
      kind: 'text',
      value: 'WHAT',
      choices: COST_GROUPS,
      help: `one of ${COST_GROUPS.join(', ')}; default: project`,
    },
    since: { kind: 'text', value: 'TIME', help: 'only messages since TIME: 7d (ago), 18:30, 2026-11-20' },
    until: { kind: 'text', value: 'TIME', help: 'only messages before TIME' },
    project: { kind: 'text', value: 'NAME', help: 'only this project (folder, name or ID)' },
    model: { kind: 'text', value: 'NAME', help: 'only this model' },
    agent: AGENT_CLI,
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only this session' },
    task: {
      kind: 'text',
      short: 't',
      value: 'ID',
      complete: 'task',
      help: 'only the time its sessions spent on this task',
    },
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_LEVEL,
      fallback: 50,
      help: 'show at most N rows',
    },
  },
  examples: [
    { line: 'lode cost list', does: 'every project with its tokens and cost, most expensive first' },
    { line: 'lode cost list --by day --since 30d', does: 'the cost of each of the last 30 days' },
    { line: 'lode cost list --by subagent --project app', does: 'the cost of each sub-agent type in a project' },
    {
      line: 'lode cost list --by session --json',
      does: 'the most expensive sessions as JSON: {by, rows, total, unknownAgents, unpriced, estimated, stated, isCut}',
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
        agent: await checkAgentCli(client, options.agent),
        sessionId: options.session,
        taskId: options.task,
        timeZone: ownTimeZone(),
        limit: options.limit,
      },
      { signal: context.signal },
    )
    const view = { now, columns: context.io.columns, namesClis: costs.by === 'session' && (await namesClis(context)) }
    context.answer(costs, () => costTable(costs, view))
    if (context.globals.isJson) return
    if (costs.rows.length === 0) context.note('no model messages match.')
    if (costs.isCut) context.note('there are more rows; raise --limit N.')
    if (costs.estimated.length > 0)
      context.note(
        `these sums include estimates, priced by the nearest version of the model family, for: ${costs.estimated.map(oneLine).join(', ')}`,
      )
    if (costs.stated.length > 0)
      context.note(`the agent CLI itself states the cost of these models: ${costs.stated.map(oneLine).join(', ')}`)
    if (costs.unknownAgents > 0)
      context.note(`${unknownText(costs.unknownAgents)}: no transcript lines of theirs are recorded`)
    if (costs.unpriced.length > 0)
      context.note(`these models have no price and are not included: ${costs.unpriced.map(oneLine).join(', ')}`)
  },
})
