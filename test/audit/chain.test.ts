import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { AUDIT_LIMITS } from '../../src/domain/audit'
import { createAuditService } from '../../src/engine/audit/audit-service'
import { verifyAudit } from '../../src/engine/audit/verify'
import { openStore, type StorePlace } from '../../src/store/open'
import { make } from '../store-contract/databases'

const ACTOR = { kind: 'operator', name: null, peer: null }

/** Changes the database past the store, as somebody with its password would. */
async function tamper(place: StorePlace, statement: string): Promise<void> {
  if (place.url !== undefined) {
    const sql = new SQL(place.url, { max: 1 })
    await sql.unsafe(statement)
    await sql.close()
  } else {
    const database = new Database(place.path)
    database.run('pragma busy_timeout = 5000')
    database.run(statement)
    database.close()
  }
}

for (const kind of ['sqlite', 'postgres'] as const) {
  /** A log of its own with this many lines. */
  const withLines = async (count: number) => {
    const { place, remove } = await make(kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    const audit = createAuditService({ store })
    const add = (target: string) =>
      audit.record({ act: 'session.export', actor: ACTOR, target, detail: { files: 1, text: '\0\ud800é' } })
    for (let n = 1; n <= count; n++) await add(`session ${n}`)
    return {
      store,
      add,
      tamper: (statement: string) => tamper(place, statement),
      problems: async () => (await verifyAudit(store.audit)).problems,
      async [Symbol.asyncDispose]() {
        await store.close()
        await remove()
      },
    }
  }

  test(`${kind}: a changed line is named, and those after it are not`, async () => {
    await using log = await withLines(5)
    expect(await log.problems()).toEqual([])
    for (const column of ['act', 'actor_kind', 'target', 'detail', 'before']) {
      await log.tamper(`update audit_lines set ${column} = ${column} || 'x' where number = 3`)
      expect([column, await log.problems()]).toEqual([column, ['Line 3 was changed.']])
      await log.tamper(
        `update audit_lines set ${column} = substr(${column}, 1, length(${column}) - 1) where number = 3`,
      )
    }
    await log.tamper('update audit_lines set at = at + 1 where number = 5')
    expect(await log.problems()).toEqual(['Line 5 was changed.'])
  })

  test(`${kind}: missing lines are named, at the beginning, within and at the end`, async () => {
    await using log = await withLines(9)
    await log.tamper('delete from audit_lines where number in (1, 4, 5, 9)')
    expect(await log.problems()).toEqual(['Line 1 is missing.', 'Lines 4 to 5 are missing.', 'Line 9 is missing.'])
  })

  test(`${kind}: a line that was made anew with a fitting hash does not fit the next one`, async () => {
    await using log = await withLines(4)
    await using other = await withLines(1)
    await other.add('another story')
    const forged = (await other.store.audit.rowsAfter(1, 1))[0]
    await log.tamper(
      `update audit_lines set target = '${forged?.target}', at = ${forged?.at}, before = '${forged?.before}', hash = '${forged?.hash}' where number = 2`,
    )
    expect(await log.problems()).toEqual(['Line 2 does not follow line 1.', 'Line 3 does not follow line 2.'])
  })

  test(`${kind}: a head that was moved back does not hide the last lines`, async () => {
    await using log = await withLines(3)
    await log.tamper(`update audit_head set number = 2, hash = (select hash from audit_lines where number = 2)`)
    expect(await log.problems()).toEqual(['The log ends at line 2, but line 3 is there.'])
    // The next line meets the one that is there.
    await expect(log.add('next')).rejects.toThrow()
  })

  test(`${kind}: lines that are written at once follow one another`, async () => {
    await using log = await withLines(0)
    await Promise.all(Array.from({ length: 40 }, (_, n) => log.add(`at once ${n}`)))
    expect(await verifyAudit(log.store.audit)).toMatchObject({ isWhole: true, lines: 40, head: { number: 40 } })
  })

  test(`${kind}: a long value is cut, and texts that a database changes keep their hash`, async () => {
    await using log = await withLines(1)
    await log.add('x'.repeat(10_000))
    await log.add('a\0b\ud800')
    expect(await log.problems()).toEqual([])
    const rows = await log.store.audit.rowsAfter(1, 2)
    expect(rows[0]?.target).toHaveLength(AUDIT_LIMITS.word)
    expect(rows[1]?.target).toBe('a�b�')
  })
}
