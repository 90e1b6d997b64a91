import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { spanOption } from '../../server/token-options'

export const command = defineCommand({
  summary: 'Let a worker in from another machine; prints a code that works once',
  details: [
    'The code works once and for ten minutes. On the other machine, pass it to `lode work --server URL --code CODE`. That machine then',
    'keeps a token that is good for this worker and that machine alone.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the worker's name" }],
  options: {
    expires: {
      kind: 'text',
      value: 'SPAN',
      help: 'how long the access lasts, such as 90d (default: until it is revoked)',
    },
  },
  examples: [{ line: 'lode worker enroll builder', does: 'a code for the worker builder' }],
  async run(context, { args: [name = ''], options }) {
    const answer = await (await context.client()).workers.enroll({ name, ...spanOption(options.expires) })
    context.answer(answer, () => `${answer.code}\n`)
    if (!context.globals.isJson)
      context.note(
        `on the other machine, run 'lode work --server URL --code ${answer.code}' as ${oneLine(name)} within ten minutes.`,
      )
  },
})
