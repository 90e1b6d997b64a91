/** Appends entries to a record's feed, a hundred a transaction: `feed-writer.ts HOME COUNT`. */

import { openDatabase } from '../../../src/app/threads/database'
import { sessionId, sessionKey } from '../../../src/domain/ids'

const [home = '', count = ''] = process.argv.slice(2)
const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write' })
const session = { key: sessionKey(1), id: sessionId(crypto.randomUUID()) }
for (let left = Number(count); left > 0; left -= 100)
  await store.write(async (tx) => {
    for (let n = 0; n < Math.min(100, left); n++)
      await tx.appendFeed('events.recorded', session, {
        count: 1,
        lastEventId: crypto.randomUUID().replaceAll('-', ''),
      })
  })
await store.close()
