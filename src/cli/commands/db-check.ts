import { exitCodeOf } from '../../api/contract/error-codes'
import { defineCommand } from '../command'
import { plural } from '../measures'
import { openAdmin } from '../open-admin'
import { block } from '../text'

export const command = defineCommand({
  summary: 'Check the database for damage; changes nothing',
  examples: [
    { line: 'lode db check', does: 'reads the whole file; exit code 11 when something is wrong' },
    { line: 'lode db check --json', does: 'as {location, isHealthy, problems}' },
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
