import { defineCommand } from '../command'
import { bytes } from '../measures'
import { SUBAGENT_SESSION } from '../subagent-session'
import { oneLine } from '../text'
import { outputText } from '../views/recover-views'

export const command = defineCommand({
  summary: 'Print what a sub-agent or background task has put out',
  details: [
    "A shell's output comes from its file while that is there; an agent's from the record: its answer once it has ended, before that",
    'what it said and did. Control characters are shown, not sent to the terminal.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'its id, or a unique beginning of 4 characters or more' }],
  options: {
    tail: { kind: 'number', short: 'n', value: 'N', min: 1, max: 10_000, help: 'the last N lines alone' },
    session: SUBAGENT_SESSION,
  },
  examples: [
    { line: 'lode subagent output a1b2c3d', does: 'its answer' },
    { line: 'lode subagent output b5hubohil --tail 20', does: 'the last lines of a background shell' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { tail, session } = options
    const client = await context.client()
    const output = await client.subagents.output(id, {
      ...(tail !== undefined && { tail }),
      ...(session !== undefined && { sessionId: session }),
    })
    context.answer(output, () => outputText(output.text))
    if (context.globals.isJson) return
    const { subagent, source, path, isCut } = output
    if (source === 'none') context.note(`nothing is kept of what ${oneLine(subagent.id)} put out (${subagent.status})`)
    else if (isCut) context.note(`there is more${path === null ? '' : `: ${oneLine(path)}`}${sizeOf(output.bytes)}`)
    else if (subagent.status === 'running') context.note(`${oneLine(subagent.id)} is still running`)
  },
})

const sizeOf = (size: number | null): string => (size === null ? '' : ` (${bytes(size)})`)
