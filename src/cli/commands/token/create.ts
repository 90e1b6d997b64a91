import { TOKEN_ROLES } from '../../../domain/token/token'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { spanOption } from '../../server/token-options'

export const command = defineCommand({
  summary: 'Create a token for a person or a program; prints it once',
  details: [
    'A viewer reads everything and changes nothing. An operator does what you do, but gives nobody access: for that you need the token',
    "in the server's file `token`, the dashboard or an admin. A person's token (`--user`) always has the person's current role, and ends",
    'when the person is removed. What it does carries the name of the person. Programs send a token as `Authorization: Bearer TOKEN`;',
    'lode reads it from LODELINE_TOKEN.',
  ].join('\n'),
  options: {
    role: {
      kind: 'text',
      value: 'ROLE',
      choices: TOKEN_ROLES,
      help: `what it allows: ${TOKEN_ROLES.join(' or ')} (default: viewer)`,
    },
    user: { kind: 'text', value: 'NAME', complete: 'user', help: 'the person whose it is, instead of a role' },
    name: { kind: 'text', value: 'TEXT', help: "whose it is, or what a person's token is for" },
    expires: { kind: 'text', value: 'SPAN', help: 'how long it lasts, such as 30d (default: until it is revoked)' },
  },
  examples: [
    { line: 'lode token create --role viewer --name wallboard', does: 'a token that reads' },
    { line: "lode token create --role operator --name 'CI of app' --expires 30d", does: 'one that acts, for 30 days' },
    { line: 'lode token create --user Ada --name laptop', does: "one for Ada's commands" },
  ],
  async run(context, { options }) {
    const { role, user, name, expires } = options
    if (user !== undefined && role !== undefined)
      throw usageError(context.path)('A token of a person has the role of the person: omit --role.')
    if (user === undefined && name === undefined)
      throw usageError(context.path)('The token needs an owner: add --name TEXT, or --user NAME for a person.')
    const whose = user === undefined ? { role: role ?? 'viewer' } : { user }
    const input = { ...whose, ...(name !== undefined && { name }), ...spanOption(expires) }
    const answer = await (await context.client()).tokens.create(input)
    context.answer(answer, () => `${answer.secret}\n`)
    if (!context.globals.isJson)
      context.note(`this is the token ${answer.token.id} of ${oneLine(answer.token.name)}; it won't be shown again.`)
  },
})
