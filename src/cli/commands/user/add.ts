import { USER_ROLES } from '../../../domain/user/user'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Add a person, who logs in with a name and a role',
  details: [
    'A viewer reads everything and changes nothing. An approver also answers questions, pauses and resumes tasks, lets tasks begin that',
    'wait for a person, closes requests, and comments on issues. An admin does what you do and manages people; whatever access an admin',
    'gives ends with the admin.',
    '',
    'A name is given once: what a person did stays under it when the person is removed.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the person's name" }],
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
      help: 'the verified e-mail address or the subject by which an OpenID provider knows the person',
    },
  },
  examples: [
    { line: 'lode user add Ada --role approver', does: 'a person who answers questions' },
    { line: 'lode user add Bo --role admin --login bo@example.org', does: 'one who logs in by a provider' },
  ],
  async run(context, { args: [name = ''], options: { role, login } }) {
    if (role === undefined)
      throw usageError(context.path)(`The person needs a role: add --role ${USER_ROLES.join('|')}.`)
    const answer = await (await context.client()).users.add({ name, role, ...(login !== undefined && { login }) })
    context.answer(answer, () => oneLine(`added ${answer.user.name} as ${answer.user.role}`).concat('\n'))
    if (!context.globals.isJson && login === undefined)
      context.note(oneLine(`'lode user code ${shellWord(answer.user.name)}' prints a link to log in with.`))
  },
})

const shellWord = (name: string): string => (/^[\w.@+-]+$/.test(name) ? name : `"${name}"`)
