import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import type { CopyPiece } from '../../src/store/copy/copy'
import { openSource, openTarget } from '../../src/store/copy/open-copy'
import { decodePart, encodePart } from '../../src/store/copy/part-text'
import type { TablePart } from '../../src/store/copy/table-part'
import { openStore, type StorePlace } from '../../src/store/open'
import { Crew } from '../tasks/crew'
import { failureOf, make, onEachDatabase } from './databases'

/** Every row of every table as a line of text, read by the database's own words. */
async function contentOf(place: StorePlace): Promise<string[]> {
  const sql =
    place.path !== undefined ? new SQL({ adapter: 'sqlite', filename: place.path }) : new SQL(place.url, { max: 1 })
  try {
    const tables: { name: string }[] = await sql.unsafe(
      place.path !== undefined
        ? `select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'`
        : `select tablename as name from pg_tables where schemaname = 'public'`,
    )
    const lines: string[] = []
    for (const { name } of tables.filter(
      (table) => table.name !== 'schema_migrations' && table.name !== 'database_epoch',
    )) {
      const rows: object[] = await sql.unsafe(`select * from "${name}"`)
      for (const row of rows)
        lines.push(`${name} ${JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`)
    }
    return lines.sort()
  } finally {
    await sql.close()
  }
}

onEachDatabase((database) => {
  const fill = async () => {
    const crew = new Crew(database.store)
    const parent = await crew.create({ title: `copied ${crew.word}` })
    await crew.create({ title: 'below', parentTaskId: parent.id })
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    await worker.end(await worker.take(), 'completed')
    return crew
  }
  const copy = async (to: StorePlace, change: (piece: CopyPiece) => CopyPiece | null = (piece) => piece) => {
    await using source = await openSource(database.place)
    await using target = await openTarget(to)
    await target.begin(source.schema)
    for await (const piece of source.pieces()) {
      const changed = change(piece)
      if (changed !== null) await target.add(changed)
    }
    await target.commit()
  }
  const isEmpty = async (place: StorePlace): Promise<boolean> => {
    if (place.path !== undefined) return !['', '-wal', '-shm'].some((end) => existsSync(`${place.path}${end}`))
    return (await contentOf(place)).length === 0
  }

  test('a copy holds every row of every table, and the program goes on with it', async () => {
    await fill()
    const other = await make(database.kind, { isEmpty: true })
    try {
      await copy(other.place)
      expect(await contentOf(other.place)).toEqual(await contentOf(database.place))
      const store = await openStore({ ...other.place, mode: 'read-write' })
      try {
        const before = await store.tasks.list({}, { limit: 1_000 })
        expect(before.rows.length).toBeGreaterThan(1)
        // Workers of the one know by it that they work for the other now.
        expect(await store.diagnostics.epoch()).not.toBe(await database.store.diagnostics.epoch())
        // Numbers go on where they were: no key comes twice.
        const { id } = await new Crew(store).create({ title: 'later' })
        const after = await store.tasks.list({}, { limit: 1_000 })
        expect(after.rows.filter((one) => one.id === id)).toHaveLength(1)
        expect(after.rows).toHaveLength(before.rows.length + 1)
      } finally {
        await store.close()
      }
    } finally {
      await other.remove()
    }
  })

  test('numbers go on behind the highest that is there, also where the copy does not tell them', async () => {
    await fill()
    const other = await make(database.kind, { isEmpty: true })
    try {
      await copy(other.place, (piece) => (piece.name.startsWith('identity-counters') ? null : piece))
      const store = await openStore({ ...other.place, mode: 'read-write' })
      await new Crew(store).create({ title: 'later' })
      await store.close()
    } finally {
      await other.remove()
    }
  })

  test('a copy that is made while others write has all that was there when it began, and can be used', async () => {
    const crew = await fill()
    const other = await make(database.kind, { isEmpty: true })
    try {
      let isOver = false
      const writing = (async () => {
        for (let n = 0; !isOver; n++) {
          await crew.create({ title: `n${n}` })
          if (n % 10 === 0) await database.store.maintain('checkpoint')
        }
      })()
      for (let round = 0; round < 5; round++) {
        await copy(other.place)
        const store = await openStore({ ...other.place, mode: 'read-only' })
        expect(
          (await store.tasks.list({}, { limit: 1_000 })).rows.some(({ title }) => title === `copied ${crew.word}`),
        ).toBe(true)
        await store.close()
        if (round < 4 && other.place.path !== undefined)
          for (const end of ['', '-wal', '-shm'])
            await Bun.file(`${other.place.path}${end}`)
              .delete()
              .catch(() => {})
        else break
      }
      isOver = true
      await writing
    } finally {
      await other.remove()
    }
  })

  test('a target that is not empty is refused and stays as it is', async () => {
    await fill()
    const before = await contentOf(database.place)
    expect(await failureOf(copy(database.place))).toMatchObject({ code: 'conflict' })
    expect(await contentOf(database.place)).toEqual(before)
  })

  test('a copy with rows or bytes that are missing leaves nothing', async () => {
    await fill()
    const other = await make(database.kind, { isEmpty: true })
    try {
      const isCut = (piece: CopyPiece) =>
        piece.name.startsWith('tasks/') || piece.name.startsWith('lodeline.db-wal')
          ? null
          : piece.name.startsWith('lodeline.db/')
            ? { ...piece, bytes: firstBytes(piece, piece.size / 2) }
            : piece
      await failureOf(copy(other.place, isCut))
      expect(await isEmpty(other.place)).toBe(true)
    } finally {
      await other.remove()
    }
  })

  test('pieces that nobody knows are refused, and nothing is left', async () => {
    const other = await make(database.kind, { isEmpty: true })
    const place = other.place
    try {
      const bytes = encodePart({ table: 'x', columns: ['id") values (1); --'], rows: [[1]] })
      for (const name of [
        '../x',
        'tasks/1.jsonl',
        'schema_migrations/1.jsonl',
        'nothing/1.jsonl',
        '/etc/passwd',
        'a"/1.jsonl',
      ]) {
        const evil = (piece: CopyPiece) => ({ ...piece, name, size: bytes.length, bytes: once(bytes) })
        expect(await failureOf(copy(place, evil))).toMatchObject({ code: 'invalid' })
        expect(await isEmpty(place)).toBe(true)
      }
      await using target = await openTarget(place)
      expect(await failureOf(target.begin(9_999))).toMatchObject({ code: 'schema_mismatch' })
    } finally {
      await other.remove()
    }
    if (place.path !== undefined) expect(existsSync(join(dirname(dirname(place.path)), 'x'))).toBe(false)
  })
})

async function* once(bytes: Uint8Array) {
  yield bytes
}

async function* firstBytes({ bytes }: CopyPiece, count: number) {
  let left = Math.floor(count)
  for await (const part of bytes) {
    yield part.subarray(0, left)
    left = Math.max(0, left - part.length)
  }
}

test('values come back as they were, and other bytes are refused', () => {
  const part: TablePart = {
    table: 't',
    columns: ['a', 'b'],
    rows: [
      [1, 'zwei\n"3" \u2028'],
      [null, new Uint8Array([0, 255, 10])],
      [9_007_199_254_740_993n, 0.1],
      [-5, new Uint8Array()],
    ],
  }
  expect(decodePart('t', encodePart(part))).toEqual(part)
  for (const bad of [
    ...['', '[]', '{}\n', '["a"]\n[1,2]\n', '["a"]\n[true]\n', '["a"]\n[{"x":1}]\n', '["a"]\n1\n', '["a"]\n[1]'],
    ...['["a"]\n[{"i":"x"}]\n', '["a"]\n[[]]\n', '\u0000'],
  ])
    expect(() => decodePart('t', Buffer.from(bad))).toThrow("can't be read")
})
