import { exitCodeOf } from '../../../api/contract/error-codes'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { block } from '../../print/text'
import { openAdmin } from '../../server/open-admin'

export const command = defineCommand({
  summary: 'Check the database, and the packs beside it, for damage without changing them',
  examples: [
    { line: 'lode db check', does: 'read the whole database and all packs; exit with 11 if anything is damaged' },
    { line: 'lode db check --json', does: 'print JSON: {location, isHealthy, problems}' },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const problems = await admin.check()
    const isHealthy = problems.length === 0
    context.answer({ location: admin.location, isHealthy, problems }, () =>
      isHealthy
        ? `${admin.location}: no damage found\n`
        : `${[`${admin.location}: ${plural(problems.length, 'problem')} found`, ...problems.map(block)].join('\n')}\n`,
    )
    return isHealthy ? undefined : exitCodeOf('storage_corrupt')
  },
})
