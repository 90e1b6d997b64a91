/** Hand-overs in the database: the same as in files, for all servers. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { handoffFiles } from '../../src/app/hooks/handoff-files'
import { storedHandoffs } from '../../src/app/hooks/stored-handoffs'
import { issueId, sessionId } from '../../src/domain/ids'
import { onEachDatabase } from '../store-contract/databases'

const [A, B] = [sessionId('session-a'), sessionId('session-b')]
const TEXTS = { folder: '/p', issueId: null, goal: 'g', state: 's', evidence: 'e', next: 'n', note: 'first' }
const reader = { sessionId: B, folder: '/p', issueId: null }

onEachDatabase((database) => {
  test('what one server took is offered by each, newest first, to one of many; what a former program kept comes along', async () => {
    const homes = [mkdtempSync('/tmp/ld-'), mkdtempSync('/tmp/ld-')] as const
    const former = handoffFiles(homes[0])
    const old = former.write({ ...TEXTS, at: '2026-01-01T00:00:00.000Z', sessionId: A })
    former.take(old.id, B)
    const [here, there] = homes.map((home) => storedHandoffs(database.store, home))
    if (here === undefined || there === undefined) throw new Error('no boxes')
    expect(await here.list(10)).toMatchObject([{ ...TEXTS, id: old.id, givenTo: B, givenAt: expect.any(String) }])
    expect(readdirSync(join(homes[0], 'handoffs'))).toEqual([])

    const later = { ...TEXTS, at: '2026-01-02T00:00:00.000Z', sessionId: A }
    const written = await here.write(later)
    await here.write({ ...later, at: '2026-01-03T00:00:00.000Z', issueId: issueId('ld-1') })
    expect(await there.offered(reader)).toEqual(written)
    expect(await there.offered({ ...reader, issueId: issueId('ld-1') })).toMatchObject({ issueId: 'ld-1' })
    expect(await there.offered({ ...reader, sessionId: A })).toBeUndefined()
    const takers = [here, there, here, there].map((box, n) => box.take(written.id, sessionId(`taker-${n}`)))
    expect((await Promise.all(takers)).filter(Boolean).length).toBe(1)
    expect(await there.offered(reader)).toBeUndefined()
    expect((await there.list(2)).map(({ issueId: to }) => to)).toEqual([issueId('ld-1'), null])
    for (const home of homes) rmSync(home, { recursive: true })
  })
})
