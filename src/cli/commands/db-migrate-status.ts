import { defineCommand } from '../command'
import { openAdmin } from '../open-admin'
import { fields } from '../table'

export const command = defineCommand({
  summary: 'Say where the schema stands; changes nothing',
  examples: [
    { line: 'lode db migrate status', does: 'its version, and what this program needs' },
    { line: 'lode db migrate status --json', does: 'as {location, version, wanted, pending, unknown}' },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const { version, wanted, pending, unknown } = await admin.migrationStatus()
    context.answer({ location: admin.location, version, wanted, pending, unknown }, () =>
      fields([
        ['database', admin.location],
        ['schema', version === 0 ? 'none yet' : String(version)],
        ['this program', `needs ${wanted}`],
        ['to apply', pending.map((each) => `${each.number} ${each.name}`).join(', ') || null],
        ['unknown', unknown.length > 0 ? `${unknown.join(', ')} (the database is newer than this program)` : null],
      ]),
    )
  },
})
