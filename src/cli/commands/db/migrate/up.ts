import { defineCommand } from '../../../kit/command'
import { openAdmin } from '../../../server/open-admin'

export const command = defineCommand({
  summary: 'Upgrade the schema to the version this program needs',
  details: [
    "On SQLite 'lode up' and 'lode serve' do this at start; on PostgreSQL only where there are no tables yet.",
    'To update a fleet, run this with the new program on one machine, then update the servers one after the other.',
    'A step that would break a running server is refused. It is safe to run this again, or twice at the same time.',
  ].join('\n'),
  examples: [
    { line: 'lode db migrate up', does: 'upgrade the schema; create the database if it is missing' },
    {
      line: 'lode db migrate up --json',
      does: 'print JSON: {applied, version}',
    },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const applied = await admin.migrateUp()
    const { version } = await admin.migrationStatus()
    context.answer({ applied, version }, () =>
      applied.length === 0
        ? `already at schema ${version}\n`
        : `applied ${applied.join(', ')}; now at schema ${version}\n`,
    )
  },
})
