import { USER_ROLES } from '../../../domain/user/user'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: "Change a person's role or login",
  details: [
    'The new role applies from the next request on, and to open pages at once. Tokens, logins and workers that the person gave as',
    'an admin end with that role. A changed login logs out the browsers of the person.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the person's name", complete: 'user' }],
  options: {
    role: {
      kind: 'text',
      value: 'ROLE',
      choices: USER_ROLES,
      help: `what the person may do: ${USER_ROLES.join(', ')}`,
    },
    login: {
      kind: 'text',
      value: 'LOGIN',
      help: 'the verified e-mail address or the subject at an OpenID provider; "" = none',
    },
  },
  examples: [{ line: 'lode user edit Ada --role viewer', does: 'Ada only reads from now on' }],
  async run(context, { args: [name = ''], options: { role, login } }) {
    if (role === undefined && login === undefined)
      throw usageError(context.path)('Nothing is changed: add --role or --login.')
    const change = {
      ...(role !== undefined && { role }),
      ...(login !== undefined && { login: login === '' ? null : login }),
    }
    await (await context.client()).users.edit(name, change)
    context.answer({ name, ...change }, () => oneLine(`changed ${name}`).concat('\n'))
  },
})
