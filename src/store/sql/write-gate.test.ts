import { expect, test } from 'bun:test'
import { createWriteGate, WriteGate } from './write-gate'

test('one member at a time has its turn, and each who waits gets one', async () => {
  const memory = createWriteGate()
  const gates = Array.from({ length: 8 }, () => new WriteGate(memory))
  let inside = 0
  let most = 0
  let turns = 0
  await Promise.all(
    gates.map(async (gate, i) => {
      for (let turn = 0; turn < 20; turn++) {
        await gate.acquire(i % 2 === 0 ? 'bulk' : 'interactive')
        most = Math.max(most, ++inside)
        await Promise.resolve()
        inside--
        turns++
        gate.release()
      }
    }),
  )
  expect(most).toBe(1)
  expect(turns).toBe(160)
})

test('interactive work goes before bulk work that waited longer', async () => {
  const memory = createWriteGate()
  const [holder, bulk, interactive] = [new WriteGate(memory), new WriteGate(memory), new WriteGate(memory)]
  await holder.acquire('bulk')
  const order: string[] = []
  const waiting = [
    bulk.acquire('bulk').then(() => {
      order.push('bulk')
      bulk.release()
    }),
    interactive.acquire('interactive').then(() => {
      order.push('interactive')
      interactive.release()
    }),
  ]
  expect(holder.isWanted).toBe(true)
  holder.release()
  await Promise.all(waiting)
  expect(order).toEqual(['interactive', 'bulk'])
  expect(holder.isWanted).toBe(false)
})

test('the turn of a thread that died is given back when its end is told', async () => {
  const memory = createWriteGate()
  const main = new WriteGate(memory)
  const thread = new Worker(new URL('../../../test/store-contract/sqlite/write-gate-holder.ts', import.meta.url))
  const member = await new Promise<number>((resolve) => {
    thread.onmessage = (event: MessageEvent) => resolve(event.data)
    thread.postMessage(memory)
  })
  const turn = main.acquire('interactive')
  thread.terminate()
  main.releaseThread(member)
  await turn
  main.release()
})

test('a commit wakes who waits for one, in any thread', async () => {
  const memory = createWriteGate()
  const [one, other] = [new WriteGate(memory), new WriteGate(memory)]
  const seen = one.commits
  const woken = one.nextCommit(seen, 60_000)
  other.committed()
  await woken
  expect(one.commits).toBe(seen + 1)
  await one.nextCommit(seen, 60_000)
})

test('a place left is free for another member', () => {
  const memory = createWriteGate()
  const members = Array.from({ length: 31 }, () => new WriteGate(memory))
  expect(() => new WriteGate(memory)).toThrow(RangeError)
  members[7]?.leave()
  expect(new WriteGate(memory).member).toBe(members[7]?.member ?? 0)
})
