import { defineCommand } from '../command'
import { bytes } from '../measures'
import { openAdmin } from '../open-admin'

export const command = defineCommand({
  summary: 'Give the space of removed rows back to the system',
  details: 'Rewrites the database, so it needs as much free space again, and writers wait until it is done.',
  examples: [
    { line: 'lode db vacuum', does: 'after forgetting much' },
    { line: 'lode db vacuum --json', does: 'as {location, bytesBefore, bytesAfter}' },
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
