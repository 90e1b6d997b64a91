import { AppError } from '../../../../domain/errors'
import { defineCommand } from '../../../kit/command'
import { EXIT } from '../../../kit/exit-codes'
import { openAdmin } from '../../../server/open-admin'

export const command = defineCommand({
  summary: 'Downgrade the schema to an older version',
  details: [
    'Data that the older schema has no table for is lost. Copy the database first.',
    'It is refused while a running server needs what it would remove.',
  ].join('\n'),
  options: {
    to: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: 100_000,
      help: 'the schema version to return to; 0 removes everything (default: one step back)',
    },
    yes: { kind: 'flag', short: 'y', help: "don't ask; required when there is no terminal to ask in" },
  },
  examples: [
    { line: 'lode db migrate down', does: 'go one step back, after asking' },
    { line: 'lode db migrate down --to 1 --yes --json', does: 'print JSON: {reverted, version}' },
  ],
  async run(context, { options }) {
    await using admin = await openAdmin(context)
    const status = await admin.migrationStatus()
    const goal = options.to ?? Math.max(0, status.version - 1)
    if (goal < status.version && !options.yes) {
      const warning = `Downgrade the schema from ${status.version} to ${goal}? Data that the older schema has no table for is lost.`
      if (!context.io.canAsk) {
        throw new AppError('invalid', `${warning} There is no terminal to ask in.`, {
          hint: 'Copy the database, then run the command again with --yes.',
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
        : `reverted ${reverted.join(', ')}; now at schema ${version}\n`,
    )
    return EXIT.ok
  },
})
