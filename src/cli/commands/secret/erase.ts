import type { Answers } from '../../../api/contract/operations'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Take a secret out of the record for good',
  details: [
    'Overwrites its bytes in all journals, in all rows that quote it, and in the files of the Lodeline folder. Transcripts stay valid',
    'JSON of the same length, so that sessions can still be resumed; an export of them no longer equals the file of the agent CLI.',
    'Keeps:',
    '  - its ID, which is a hash, so that the secret is overwritten again when it is recorded again;',
    "  - the agent CLI's own files, which the answer names: remove the secret there yourself;",
    '  - issue files in repositories, and files on other machines.',
    'Erasing a secret does not make it safe: whoever saw it can use it. Replace it where it was issued first.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the secret's ID, as lode secret scan prints it" }],
  options: { yes: { kind: 'flag', short: 'y', help: "don't ask; required when there is no terminal to ask in" } },
  examples: [
    { line: 'lode secret erase 3f2a9c1e0b5d7a44', does: 'ask, then take the secret out' },
    { line: 'lode secret erase 3f2a9c1e0b5d7a44 --yes --json', does: 'take it out without asking; print JSON' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    if (!options.yes) {
      if (!context.io.canAsk) {
        throw new AppError('invalid', "Erasing a secret can't be undone, and there is no terminal to ask in.", {
          hint: `Run 'lode secret erase ${id} --yes'.`,
        })
      }
      const answer = context.io.ask(`Erase secret ${oneLine(id)} for good? [y/N] `)
      if (!/^y(es)?$/i.test(answer)) {
        context.note('nothing was changed.')
        return EXIT.declined
      }
    }
    const erased = await client.secrets.erase(id)
    context.answer(erased, () => erasedText(erased))
  },
})

function erasedText({ id, rule, places, rows, files, agentFiles }: Answers['secrets']['erase']): string {
  const where = [plural(places, 'place'), plural(rows, 'row'), plural(files, 'file')].join(', ')
  const lines = [`erased secret ${id} (${rule}): ${where}`]
  if (agentFiles.length > 0)
    lines.push('the files of the agent CLI still hold it:', ...agentFiles.map((path) => `  ${oneLine(path)}`))
  return lines.map((line) => `${line}\n`).join('')
}
