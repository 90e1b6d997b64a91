import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: "Replace the server's own token",
  details: [
    'The old token and all logins of browsers end at once. The server, its worker and the commands of this machine go on with the new',
    "token. Tokens of 'lode token create' and of enrolled workers stay.",
  ].join('\n'),
  examples: [{ line: 'lode token rotate', does: 'write another token to the file `token`' }],
  async run(context) {
    const answer = await (await context.client()).tokens.rotate()
    context.answer(answer, () => oneLine(`wrote a new token to ${answer.file}`).concat('\n'))
    if (!context.globals.isJson) context.note("browsers are logged out; 'lode open' logs in again.")
  },
})
