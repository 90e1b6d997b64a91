import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a person and end all their access at once',
  details: [
    'Logins, tokens and open pages of the person end, and so does what the person gave others: tokens, login codes, workers. What the',
    'person did stays under the name, and nobody else can get that name.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the person's name", complete: 'user' }],
  examples: [{ line: 'lode user remove Ada', does: 'Ada is out' }],
  async run(context, { args: [name = ''] }) {
    const { name: removed } = await (await context.client()).users.remove(name)
    context.answer({ removed }, () => oneLine(`removed ${removed}`).concat('\n'))
  },
})
