import { defineCommand } from '../../kit/command'
import { bytes } from '../../print/measures'
import { oneLine } from '../../print/text'
import { SUBAGENT_SESSION } from '../../sessions/subagent-session'
import { outputText } from '../../views/session/recover-views'

export const command = defineCommand({
  summary: 'Print the output of a sub-agent, background shell or monitor',
  details: [
    "A shell's output is read from its file while the file exists. A sub-agent's output is read from the record: its answer once it",
    'has ended, its activity before that. Control characters are printed in escaped form.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'its ID, or a unique prefix of at least 4 characters', complete: 'subagent' }],
  options: {
    tail: { kind: 'number', short: 'n', value: 'N', min: 1, max: 10_000, help: 'only the last N lines' },
    session: SUBAGENT_SESSION,
  },
  examples: [
    { line: 'lode subagent output a1b2c3d', does: "the sub-agent's answer" },
    { line: 'lode subagent output b5hubohil --tail 20', does: 'the last lines of a background shell' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { tail, session } = options
    const client = await context.client()
    const output = await client.subagents.output(id, {
      ...(tail !== undefined && { tail }),
      ...(session !== undefined && { sessionId: session }),
    })
    context.answer(output, () => outputText(output.text), { isExact: true })
    if (context.globals.isJson) return
    const { subagent, source, path, isCut } = output
    if (source === 'none') context.note(`no output of ${oneLine(subagent.id)} is stored (${subagent.status})`)
    else if (isCut) context.note(`there is more${path === null ? '' : `: ${oneLine(path)}`}${sizeOf(output.bytes)}`)
    else if (subagent.status === 'running') context.note(`${oneLine(subagent.id)} is still running`)
  },
})

const sizeOf = (size: number | null): string => (size === null ? '' : ` (${bytes(size)})`)
