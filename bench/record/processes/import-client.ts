/**
 * Asks a server for its sessions and for the events of one, by turns, every few milliseconds until its standard input ends;
 * then prints how long the answers took. `import-client.ts URL HOME`
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spread } from '../../common/measure'

/** Milliseconds between an answer and the next request. */
const PAUSE_MS = 3

const [url = '', home = ''] = process.argv.slice(2)
const headers = { authorization: `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}` }
let isOver = false
Bun.stdin.text().then(() => {
  isOver = true
})

const times: number[] = []
let sessions: { id: string }[] = []
for (let turn = 0; !isOver; turn++) {
  const session = sessions[turn % Math.max(1, sessions.length)]
  const isList = turn % 2 === 0 || session === undefined
  const before = performance.now()
  const response = await fetch(`${url}/api/sessions${isList ? '?limit=50' : `/${session.id}/events?limit=100`}`, {
    headers,
  })
  const body = (await response.json()) as { sessions?: { id: string }[] }
  times.push(performance.now() - before)
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`)
  if (isList) sessions = body.sessions ?? []
  await Bun.sleep(PAUSE_MS)
}
process.stdout.write(JSON.stringify(spread(times)))
