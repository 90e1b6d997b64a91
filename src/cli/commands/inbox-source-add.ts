import { defineCommand } from '../command'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Let a source send requests; prints its secret once',
  details: [
    'A source sends POST /api/inbox with {"sender", "text", "externalId"?, "threadKey"?} as JSON, and these headers:',
    '  Lodeline-Source: NAME',
    '  Lodeline-Timestamp: seconds since 1970',
    '  Lodeline-Signature: v1= and the HMAC-SHA256, in hex, of "<timestamp>.<body>" with the secret',
    'Replies are sent to --callback, signed the same way. Without one they wait for POST /api/inbox/replies, with {"ack": [ids]}.',
    'Again with the same NAME changes what is given.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'letters, digits, dots, dashes and underscores' }],
  options: {
    callback: { kind: 'text', value: 'URL', help: 'where replies go: https, or http on this machine' },
    fetched: { kind: 'flag', help: 'replies wait to be fetched (the default for a new source)' },
    lead: { kind: 'text', value: 'WHO', help: "who is told: an agent's name or id, or a task's id" },
    rotate: { kind: 'flag', help: 'make a new secret; the former one is worth nothing any more' },
  },
  examples: [
    { line: 'lode inbox source add helpdesk', does: 'its replies wait to be fetched' },
    { line: 'lode inbox source add chat --callback https://chat.example/hook', does: 'its replies are sent there' },
  ],
  async run(context, { args: [name = ''], options }) {
    if (options.callback !== undefined && options.fetched)
      throw usageError(context.path)('--callback and --fetched exclude one another.')
    const client = await context.client()
    const answer = await client.inbox.putSource(name, {
      callback: options.fetched ? null : options.callback,
      lead: options.lead,
      ...(options.rotate && { rotate: true }),
    })
    context.answer(answer, () =>
      answer.secret === null ? oneLine(`changed ${answer.source.name}`).concat('\n') : `${answer.secret}\n`,
    )
    if (!context.globals.isJson && answer.secret !== null)
      context.note(`this is the secret of ${oneLine(answer.source.name)}; it is not shown again.`)
  },
})
