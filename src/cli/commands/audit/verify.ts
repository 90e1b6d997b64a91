import { exitCodeOf } from '../../../api/contract/error-codes'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { block } from '../../print/text'

export const command = defineCommand({
  summary: 'Check the audit log for lines that were changed or are missing',
  details: [
    'Prints the hash of the last line. Whoever can write to the database can also rewrite the whole log. So note the hash',
    'elsewhere, and compare it later with the hash of the line of the same number.',
  ].join('\n'),
  examples: [
    { line: 'lode audit verify', does: 'check every line; exit with 11 if one was changed or is missing' },
    { line: 'lode audit verify --json', does: 'print JSON: {isWhole, lines, head, problems}' },
  ],
  async run(context) {
    const check = await (await context.client()).audit.verify()
    context.answer(check, () =>
      check.isWhole
        ? `${plural(check.lines, 'line')}, none changed or missing\n${check.lines === 0 ? '' : `line ${check.head.number} has the hash ${check.head.hash}\n`}`
        : `${[`${plural(check.problems.length, 'problem')} found in ${plural(check.lines, 'line')}`, ...check.problems.map(block)].join('\n')}\n`,
    )
    return check.isWhole ? undefined : exitCodeOf('storage_corrupt')
  },
})
