import { defineCommand } from '../command'
import { openAdmin } from '../open-admin'

export const command = defineCommand({
  summary: "Bring the database's schema up to what this version needs",
  details: "'lode up' and 'lode serve' do it by themselves. Running it again, or twice at once, is harmless.",
  examples: [
    { line: 'lode db migrate up', does: 'makes the database when there is none' },
    {
      line: 'lode db migrate up --json',
      does: 'as {applied, version}: the migrations applied now, and where the schema stands',
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
