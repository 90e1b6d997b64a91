import { MAX_NEEDS } from '../../../api/contract/protocol'
import { NEED_KINDS } from '../../../domain/overview/need'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { needTable } from '../../views/need-views'

export const command = defineCommand({
  summary: 'List what needs you, the most urgent first',
  options: {
    kind: {
      kind: 'text',
      value: 'KIND',
      choices: NEED_KINDS,
      isRepeated: true,
      help: `only this kind: ${NEED_KINDS.join(', ')}`,
    },
    agent: AGENT_CLI,
  },
  examples: [
    { line: 'lode need list', does: 'everything that waits for you, with its ID' },
    { line: 'lode need list --agent codex', does: 'what waits for you in sessions and tasks of Codex' },
    { line: 'lode need list --kind failure --json', does: 'failed tasks as JSON: {needs, counts}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { needs: all, counts } = await client.overview(
      { limit: MAX_NEEDS, agent: await checkAgentCli(client, options.agent) },
      { signal: context.signal },
    )
    const needs = all.filter(({ kind }) => options.kind.length === 0 || options.kind.includes(kind))
    context.answer({ needs, counts: counts.needs }, () =>
      needTable(needs, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    context.note(
      needs.length === 0 ? 'nothing needs you.' : "done with one? 'lode need dismiss ID' takes it off the list.",
    )
  },
})
