import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'End a link to a session at once',
  args: [{ name: 'ID', help: "the link's ID, as `lode share list` shows it", complete: 'share' }],
  examples: [{ line: 'lode share revoke k-7f3k9q2m', does: 'end it: whoever opens it then sees nothing' }],
  async run(context, { args: [id = ''] }) {
    const { id: revoked } = await (await context.client()).shares.revoke(id)
    context.answer({ revoked }, () => oneLine(`revoked ${revoked}`).concat('\n'))
  },
})
