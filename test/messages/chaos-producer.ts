/**
 * Sends messages to addresses: `chaos-producer.ts HOME FILE NAME COUNT ADDRESS…`. FILE holds how many were acknowledged: killed and
 * started again, it goes on with the one of which it doesn't know, under the same key.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { withServer } from './chaos-process'

const [home = '', file = '', name = '', count = '0', ...addresses] = process.argv.slice(2)
const from = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
for (let i = from; i < Number(count); i++) {
  // The same number goes to the same address, whoever counts.
  const to = addresses[(i * 7 + Number(name) * 3) % addresses.length] ?? ''
  const idempotencyKey = `chaos-${name}-${i}`
  await withServer(home, (client) => client.messages.send({ to, text: `${name}/${i}` }, { idempotencyKey }))
  writeFileSync(`${file}.new`, String(i + 1))
  renameSync(`${file}.new`, file)
}
