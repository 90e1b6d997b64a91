import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'End a token of a person or a program',
  args: [{ name: 'ID', help: "the token's ID, as `lode token list` shows it", complete: 'token' }],
  examples: [{ line: 'lode token revoke k-7f3k9q2m', does: 'end it at once' }],
  async run(context, { args: [id = ''] }) {
    const { id: revoked } = await (await context.client()).tokens.revoke(id)
    context.answer({ revoked }, () => oneLine(`revoked ${revoked}`).concat('\n'))
  },
})
