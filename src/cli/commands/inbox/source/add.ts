import { usageError } from '../../../kit/arguments/parse-args'
import { defineCommand } from '../../../kit/command'
import { oneLine } from '../../../print/text'

export const command = defineCommand({
  summary: 'Allow a source to send requests; prints its secret once',
  details: [
    'A source sends POST /api/inbox with JSON {"sender", "text", "externalId"?, "threadKey"?} and these headers:',
    '  Lodeline-Source: NAME',
    '  Lodeline-Timestamp: seconds since 1970',
    '  Lodeline-Signature: v1= followed by the hex HMAC-SHA256 of "<timestamp>.<NAME>.<path>.<body>", keyed with the secret;',
    '    <path> is /api/inbox here',
    'Replies are sent to --callback, signed the same way with the path of the callback. They go to addresses of the internet;',
    'the setting inbox.callbackNetworks allows private networks too. Without --callback,',
    'the source fetches them: POST /api/inbox/replies, {"ack": [ids]}.',
    'An existing NAME changes only the options you pass.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'letters, digits, dots, dashes and underscores' }],
  options: {
    callback: { kind: 'text', value: 'URL', help: 'where to send replies: https, or http on this machine' },
    fetched: { kind: 'flag', help: 'the source fetches its replies (default for a new source)' },
    lead: { kind: 'text', value: 'WHO', help: "the lead to notify: an agent's name or ID, or a task's ID" },
    'auto-delegate': { kind: 'flag', help: 'tasks that a lead makes of its requests start without your consent' },
    consent: { kind: 'flag', help: 'such tasks wait for your consent (default for a new source)' },
    rotate: { kind: 'flag', help: 'create a new secret and revoke the old one' },
  },
  examples: [
    { line: 'lode inbox source add helpdesk', does: 'a source that fetches its replies' },
    {
      line: 'lode inbox source add chat --callback https://chat.example/hook',
      does: 'a source that receives replies at a URL',
    },
  ],
  async run(context, { args: [name = ''], options }) {
    if (options.callback !== undefined && options.fetched)
      throw usageError(context.path)('Use either --callback or --fetched, not both.')
    if (options['auto-delegate'] && options.consent)
      throw usageError(context.path)('Use either --auto-delegate or --consent, not both.')
    const client = await context.client()
    const answer = await client.inbox.putSource(name, {
      callback: options.fetched ? null : options.callback,
      lead: options.lead,
      ...((options['auto-delegate'] || options.consent) && { autoDelegate: options['auto-delegate'] === true }),
      ...(options.rotate && { rotate: true }),
    })
    context.answer(answer, () =>
      answer.secret === null ? oneLine(`changed ${answer.source.name}`).concat('\n') : `${answer.secret}\n`,
    )
    if (!context.globals.isJson && answer.secret !== null)
      context.note(`this is the secret of ${oneLine(answer.source.name)}; it won't be shown again.`)
  },
})
