/**
 * Writes sessions to the SQLite file in its first argument until a unit fails, then says how many were acknowledged, with
 * which code it failed, and whether the store still answers. With `read-only` as second argument the file's write
 * protection is what fails it; SQLite does not see one as root, so the child gives up its rights first.
 */
import { chmodSync, chownSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toAppError } from '../../../src/domain/errors'
import { openStore } from '../../../src/store/open'
import { sampleSession } from '../sample'

const path = process.argv[2] ?? ''
const isReadOnly = process.argv[3] === 'read-only'
if (isReadOnly) {
  const folder = dirname(path)
  const isRoot = process.getuid?.() === 0
  for (const place of [dirname(folder), folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
    if (isRoot) chownSync(place, 65_534, 65_534)
  }
  chmodSync(path, 0o400)
  if (isRoot) process.setuid?.(65_534)
}

let acked = 0
let code = ''
let goesOn = false
const line = 'x'.repeat(20_000)
try {
  const store = await openStore({ path, mode: 'read-write' })
  try {
    for (;;) {
      // Random, so that it does not compress away.
      const lines = Array.from({ length: 5 }, () => crypto.getRandomValues(new Uint8Array(20_000)).toBase64() + line)
      await store.write((tx) => sampleSession(tx, { lines }))
      acked++
    }
  } catch (thrown) {
    code = toAppError(thrown).code
    goesOn = (await store.sessions.count()) >= acked
  }
} catch (thrown) {
  code = toAppError(thrown).code
  const store = await openStore({ path, mode: 'read-only' })
  goesOn = (await store.sessions.count()) > 0
}
process.stdout.write(JSON.stringify({ acked, code, goesOn }))
process.exit(0)
