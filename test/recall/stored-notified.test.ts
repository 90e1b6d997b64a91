/** Marks of what sessions heard: the same in files of one machine and in a database that servers share. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { notifiedChanges } from '../../src/app/delivery/notified-changes'
import { storedNotified } from '../../src/app/delivery/stored-notified'
import { issueKey, sessionId } from '../../src/domain/ids'
import type { NotifiedChanges } from '../../src/domain/recall/recall'
import { onEachDatabase } from '../store-contract/databases'

const homes: string[] = []
const home = (): string => {
  const made = mkdtempSync('/tmp/ld-')
  homes.push(made)
  return made
}
afterAll(() => {
  for (const made of homes) rmSync(made, { recursive: true })
})

const [ONE, TWO] = [issueKey(1), issueKey(12)] as const

/** @param pair  two that know of one another: processes of a machine, or servers of a database, each with a folder of its own */
const holds = (pair: () => readonly [NotifiedChanges, NotifiedChanges]) => async () => {
  const [a, b] = [sessionId(crypto.randomUUID()), sessionId(crypto.randomUUID())]
  const [here, there] = pair()
  expect(await here.upTo(a, ONE)).toBeNull()
  const takers = [here, there, here, there].map((marks) => marks.take(a, ONE, 7))
  expect((await Promise.all(takers)).filter(Boolean).length).toBe(1)
  expect([await there.upTo(a, ONE), await there.upTo(b, ONE), await there.upTo(a, TWO)]).toEqual([7, null, null])
  expect([await there.take(a, ONE, 10), await there.take(a, TWO, 3), await there.take(b, ONE, 2)]).toEqual([
    true,
    true,
    true,
  ])
  expect([await here.upTo(a, ONE), await here.upTo(a, TWO), await here.upTo(b, ONE)]).toEqual([10, 3, 2])
}

test(
  'files: of several that tell the same, one does, and all know of it',
  holds(() => {
    const folder = home()
    return [notifiedChanges(folder), notifiedChanges(folder)]
  }),
)

onEachDatabase((database) => {
  test(
    'rows: of several that tell the same, one does, and all know of it',
    holds(() => [storedNotified(database.store, home()), storedNotified(database.store, home())]),
  )

  test('what a former program kept in its folder counts; what is old or forgotten does not', async () => {
    const session = sessionId(crypto.randomUUID())
    const folder = home()
    notifiedChanges(folder).take(session, ONE, 5)
    const marks = storedNotified(database.store, folder)
    expect(await marks.upTo(session, ONE)).toBe(5)
    expect(await marks.take(session, ONE, 6)).toBe(true)
    expect(await marks.take(session, ONE, 6)).toBe(false)
    expect(await storedNotified(database.store, home()).upTo(session, ONE)).toBe(6)
    await database.store.write(async (tx) => await tx.notified.forget(session))
    expect(await storedNotified(database.store, home()).upTo(session, ONE)).toBeNull()
    await marks.take(session, ONE, 6)
    await database.store.write(async (tx) => await tx.notified.dropBefore(tx.now + 1))
    expect(await storedNotified(database.store, home()).upTo(session, ONE)).toBeNull()
  })
})
