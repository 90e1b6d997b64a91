import { defineCommand } from '../../kit/command'
import { bytes } from '../../print/measures'
import { openAdmin } from '../../server/open-admin'

export const command = defineCommand({
  summary: 'Return the space of deleted rows to the system',
  details: 'Rewrites the database: it needs free space of the same size, and writers wait until it is done.',
  examples: [
    { line: 'lode db vacuum', does: 'shrink the database, for example after forgetting many sessions' },
    { line: 'lode db vacuum --json', does: 'print JSON: {location, bytesBefore, bytesAfter}' },
  ],
  async run(context) {
    await using admin = await openAdmin(context)
    const { bytesBefore, bytesAfter } = await admin.vacuum()
    context.answer(
      { location: admin.location, bytesBefore, bytesAfter },
      () => `${admin.location}: ${bytes(bytesBefore)} before, ${bytes(bytesAfter)} now\n`,
    )
  },
})
