/** The files by which messages are given on this machine: their holder gives a message, and what a living process lost is seen. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withClaimedOffers } from '../../src/app/delivery/claim-offers'
import { messageOffers } from '../../src/app/delivery/message-offers'
import { armRewake, rewakesOf } from '../../src/app/delivery/rewake-lock'
import { isOvertaken } from '../../src/app/delivery/transcript-end'
import { address, messageId } from '../../src/domain/ids'
import type { Message } from '../../src/domain/message/message'
import type { MessageService } from '../../src/engine/messages/message-service'
import { startOf } from '../../src/util/process/process-tree'

let home: string
let path: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  path = join(home, 'transcript.jsonl')
  writeFileSync(path, '')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const at = address(crypto.randomUUID())
const ownTicks = startOf(process.pid)?.split('@')[0] ?? ''
const offer = (id = messageId(crypto.randomUUID()), by = `${process.pid}@${ownTicks}`) =>
  ({ route: 'hook', by, at, message: id, transcript: path, size: 0 }) as const
const line = (type: string, more: object = {}) => appendFileSync(path, `${JSON.stringify({ type, ...more })}\n`)

test('one number of a message is made once, and is open until the database has it', () => {
  const offers = messageOffers(home)
  const one = offer()
  expect(offers.take(one, 1)).toBe(true)
  expect(offers.take(one, 1)).toBe(false)
  expect(offers.open().map(({ message, number }) => [message, number])).toEqual([[one.message, 1]])
  offers.setTakenIn({ ...one, number: 1 })
  expect(offers.open()).toEqual([])
  expect(offers.take(one, 2)).toBe(true)
  expect(offers.open().map(({ number }) => number)).toEqual([2])
  expect(offers.at(at).get(one.message)).toMatchObject({ number: 2, isTakenIn: false })
})

test('a process is gone when its pid is another one now', () => {
  const offers = messageOffers(home)
  const [alive, gone] = [offer(), offer(undefined, `${process.pid}@1`)]
  offers.take(alive, 1)
  offers.take(gone, 1)
  expect(offers.at(at).get(alive.message)?.isGone()).toBe(false)
  expect(offers.at(at).get(gone.message)?.isGone()).toBe(true)
})

test('a later prompt that was answered overtakes what no line carries', () => {
  const one = offer()
  const since = Date.now()
  const isLost = () => isOvertaken(one, since)
  const prompt = (ms: number, content: unknown, more: object = {}) =>
    line('user', { timestamp: new Date(since + ms).toISOString(), message: { content }, ...more })
  prompt(0, 'the prompt that it came with')
  line('assistant')
  expect(isLost()).toBe(false)
  prompt(60_000, [{ type: 'tool_result', content: 'an answer' }])
  prompt(60_000, 'added by the CLI', { isMeta: true })
  line('assistant')
  expect(isLost()).toBe(false)
  prompt(90_000, 'another prompt')
  expect(isLost()).toBe(false)
  line('assistant')
  expect(isLost()).toBe(true)
  line('attachment', { content: `[lodeline:${one.message}]` })
  expect(isLost()).toBe(false)
})

test('a call is not given what a hook gives at that moment, and the same call gets the same again', async () => {
  const offers = messageOffers(home)
  const [given, free] = [offer(), offer()]
  offers.take(given, 1)
  const rows = [given, free].map(({ message }) => ({ id: message, to: at })) as Message[]
  const service = withClaimedOffers(home, { take: async () => rows } as unknown as MessageService)
  const take = async (call: string) => (await service.take({ kind: 'operator' }, at, call, 10)).map(({ id }) => id)
  expect(await take('toolu_1')).toEqual([free.message])
  expect(await take('toolu_1')).toEqual([free.message])
  expect(offers.at(at).get(free.message)).toMatchObject({ by: 'toolu_1', isTakenIn: true })
})

test('offers of long ago are removed', () => {
  const offers = messageOffers(home)
  const one = offer()
  offers.take(one, 1)
  const long = new Date(Date.now() - 30 * 24 * 3_600_000)
  utimesSync(join(home, 'offers', Bun.hash(at).toString(36), `${one.message}.1`), long, long)
  offers.sweep()
  expect(offers.at(at).size).toBe(0)
})

test('one hook waits for a conversation, and the mark of one that died counts for nothing', () => {
  const live = { pid: 4_194_303, startedAt: '1@boot', sessionId: 's1' }
  expect(rewakesOf(home, live)).toBe(false)
  const rewake = armRewake(home, '4194303@1', 's1')
  expect(rewake).not.toBeNull()
  expect(armRewake(home, '4194303@1', 's1')).toBeNull()
  expect(rewakesOf(home, live)).toBe(true)
  expect(rewakesOf(home, { ...live, sessionId: 's2' })).toBe(false)
  rewake?.release()
  writeFileSync(join(home, 'rewake', `4194303-1-${Bun.hash('s1').toString(36)}.4194302.7`), '')
  expect(rewakesOf(home, live)).toBe(false)
})
