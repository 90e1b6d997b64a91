import { digestMarkdown } from '../../domain/overview/digest'
import { AGENT_CLI, checkAgentCli } from '../kit/arguments/agent-cli'
import { defineCommand } from '../kit/command'
import { dollars } from '../print/measures'
import { parsePastMoment } from '../print/moments'
import { block } from '../print/text'

export const command = defineCommand({
  summary: 'Sum up what was done, failed, changed and spent since a time, by repository',
  details: `Prints Markdown, for example for a stand-up. It begins with what was done: the first sentence of each last answer. The usual
cost is the average of the four periods before, each of the same length. The dashboard's home shows the same as 'Since you left'.`,
  options: {
    since: { kind: 'text', value: 'TIME', help: 'since TIME: 8h (ago), 18:30, 2026-11-20; default: 24h, at most 90d' },
    agent: AGENT_CLI,
  },
  examples: [
    { line: 'lode digest', does: 'the last 24 hours' },
    { line: 'lode digest --since 7d --agent codex', does: 'the last week of Codex' },
    {
      line: 'lode digest --since 18:30 --json',
      does: 'since yesterday evening as JSON: {since, until, projects, total}',
    },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { since } = options
    const now = context.io.now()
    const digest = await client.digest(
      {
        since: since === undefined ? undefined : parsePastMoment('--since', since, now),
        agent: await checkAgentCli(client, options.agent),
      },
      { signal: context.signal },
    )
    context.answer(digest, () =>
      block(digestMarkdown(digest, { time: (iso) => new Date(iso).toLocaleString('en-GB'), money: dollars })),
    )
  },
})
