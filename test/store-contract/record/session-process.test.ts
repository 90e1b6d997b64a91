import { expect, test } from 'bun:test'
import { sessionId } from '../../../src/domain/ids'
import { onEachDatabase } from '../databases'
import { sampleSession } from '../sample'

onEachDatabase((database) => {
  const begin = async () => {
    const { store } = database
    const { key, id } = await store.write((tx) => sampleSession(tx))
    const see = (host: string, state: 'alive' | 'gone', pid: number) =>
      store.write(async (tx) => {
        const hostKey = await tx.record.host(host, `name of ${host}`)
        return await tx.sessions.setProcess(key, hostKey, { id: pid, started: `${pid}0`, state, at: pid })
      })
    const shown = async () => {
      const found = await store.sessions.find(sessionId(id))
      return [found?.signals.processState, found?.signals.processId, found?.processHost]
    }
    const aliveOn = async (host: string) =>
      (await store.sessions.aliveOn(host)).filter(({ sessionId: session }) => session === id)
    return { id, see, shown, aliveOn, a: `a-${id}`, b: `b-${id}` }
  }

  test('that a process is gone is taken from the machine alone that saw it alive', async () => {
    const { see, shown, a, b } = await begin()
    expect(await see(a, 'alive', 7)).toBe(true)
    expect(await see(b, 'gone', 7)).toBe(false)
    expect(await shown()).toEqual(['alive', 7, a])
    expect(await see(a, 'gone', 7)).toBe(true)
    expect(await shown()).toEqual(['gone', 7, a])
    // A session goes on wherever it is alive.
    expect(await see(b, 'alive', 8)).toBe(true)
    expect(await see(a, 'gone', 7)).toBe(false)
    expect(await shown()).toEqual(['alive', 8, b])
  })

  test('a machine is told of its own processes alone, with their start', async () => {
    const { id, see, aliveOn, a, b } = await begin()
    await see(a, 'alive', 7)
    expect(await aliveOn(b)).toEqual([])
    expect(await aliveOn(a)).toEqual([{ sessionId: sessionId(id), pid: 7, started: '70' }])
    await see(a, 'gone', 7)
    expect(await aliveOn(a)).toEqual([])
  })
})
