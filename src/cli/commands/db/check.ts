import { exitCodeOf } from '../../../api/contract/error-codes'
import type { WholeAdmin } from '../../../app/database-admin'
import { isAppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
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
    const damage = await admin.check()
    // A damaged database can't be asked what lies in packs.
    const problems = damage.length > 0 ? damage : await packProblems(admin, context)
    const isHealthy = problems.length === 0
    context.answer({ location: admin.location, isHealthy, problems }, () =>
      isHealthy
        ? `${admin.location}: no damage found\n`
        : `${[`${admin.location}: ${plural(problems.length, 'problem')} found`, ...problems.map(block)].join('\n')}\n`,
    )
    return isHealthy ? undefined : exitCodeOf('storage_corrupt')
  },
})

/** The database itself is checked whatever its schema; packs are read by the release that made it. */
async function packProblems(admin: WholeAdmin, context: Context): Promise<string[]> {
  try {
    return await admin.checkPacks()
  } catch (error) {
    if (!isAppError(error) || error.code !== 'schema_mismatch') throw error
    context.note(`the packs were not read: ${error.message}`)
    return []
  }
}
