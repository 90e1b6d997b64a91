/**
 * Reads at addresses as an agent's CLI does: `chaos-receiver.ts HOME FOLDER ADDRESS…`. What it is given it writes into the address's
 * transcript, and the model's answer behind it; killed and started again, it goes on from the last line.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostIdentity } from '../../src/app/files/home'
import { messageMarker } from '../../src/domain/message/message'
import { startOf } from '../../src/util/process/process-tree'
import { withServer } from './chaos-process'

const [home = '', folder = '', ...addresses] = process.argv.slice(2)
const self = `${hostIdentity(home).name} ${process.pid} ${startOf(process.pid)}`

await Promise.all(addresses.map(receive))

async function receive(at: string): Promise<void> {
  const path = join(folder, `${at}.jsonl`)
  const last = JSON.parse(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}') as {
    uuid: string
    type: string
  }
  let parent = last.uuid
  const say = (type: 'user' | 'assistant', text: string): void => {
    const uuid = crypto.randomUUID()
    const content = [{ type: 'text', text }]
    const message = { role: type, content, ...(type === 'assistant' && { id: `msg_${uuid}`, model: 'm' }) }
    const line = {
      parentUuid: parent,
      isSidechain: false,
      sessionId: at,
      type,
      message,
      uuid,
      timestamp: new Date().toISOString(),
      cwd: '/p',
      version: '2.1.328',
    }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
    parent = uuid
  }
  // The conversation has what the one before received: the model goes on from it.
  if (last.type === 'user') say('assistant', 'I see')
  for (let call = 0; ; call++) {
    // The same call until it brings something: an answer that was lost comes again.
    let messages: { id: string; text: string }[] = []
    while (messages.length === 0)
      messages = (
        await withServer(home, (client) =>
          client.messages.take(at, { call: `${self} ${call}`, limit: 5, waitMs: 20_000 }),
        )
      ).messages
    await Bun.sleep(Math.random() * 20)
    say('user', messages.map(({ id, text }) => `${messageMarker(id as never)} ${text}`).join('\n'))
    await Bun.sleep(Math.random() * 20)
    say('assistant', 'I see')
  }
}
