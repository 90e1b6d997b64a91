import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { EXIT } from '../exit-codes'
import { openAdmin } from '../open-admin'

export const command = defineCommand({
  summary: 'Take the schema back to an older version',
  details: 'What the older version has no table for is lost: make a copy of the database first.',
  options: {
    to: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: 100_000,
      help: 'the schema to go back to; 0 removes everything (default: one step)',
    },
    yes: { kind: 'flag', short: 'y', help: "don't ask; needed where nobody can be asked" },
  },
  examples: [
    { line: 'lode db migrate down', does: 'one step back, after asking' },
    { line: 'lode db migrate down --to 1 --yes --json', does: 'as {reverted, version}' },
  ],
  async run(context, { options }) {
    await using admin = await openAdmin(context)
    const status = await admin.migrationStatus()
    const goal = options.to ?? Math.max(0, status.version - 1)
    if (goal < status.version && !options.yes) {
      const warning = `Take the schema from ${status.version} back to ${goal}? What the older one has no table for is lost.`
      if (!context.io.canAsk) {
        throw new AppError('invalid', `${warning} Nobody can be asked here.`, {
          hint: 'Copy the database, then add --yes.',
        })
      }
      if (!/^y(es)?$/i.test(context.io.ask(`${warning} [y/N] `))) {
        context.note('nothing was changed.')
        return EXIT.declined
      }
    }
    const reverted = await admin.migrateDown(goal)
    const { version } = await admin.migrationStatus()
    context.answer({ reverted, version }, () =>
      reverted.length === 0
        ? `already at schema ${version}\n`
        : `took back ${reverted.join(', ')}; now at schema ${version}\n`,
    )
    return EXIT.ok
  },
})
