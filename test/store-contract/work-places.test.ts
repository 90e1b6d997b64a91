import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openAdmin } from '../../src/store/admin'
import { openStore } from '../../src/store/open'
import { Crew } from '../tasks/crew'
import { make, onEachDatabase } from './databases'

/** The schema before them. */
const BEFORE = 130
const PLACES = `select t.public_id as id, p.public_id as root, r.heard_at >= t.updated_at as is_heard
  from tasks t join work_tasks w on w.task_id = t.id join work_roots r on r.root_id = w.root_id join tasks p on p.id = w.root_id order by t.id`

onEachDatabase(({ kind }) => {
  test('tasks that were there before get the places that they would have got', async () => {
    const { place, remove } = await make(kind)
    try {
      const read = async () => {
        const sql =
          place.path !== undefined
            ? new SQL({ adapter: 'sqlite', filename: place.path })
            : new SQL(place.url, { max: 1 })
        try {
          return ((await sql.unsafe(PLACES)) as { id: string; root: string; is_heard: unknown }[]).map(
            ({ id, root, is_heard }) => [id, root, Boolean(is_heard)],
          )
        } finally {
          await sql.close()
        }
      }
      const store = await openStore({ ...place, mode: 'read-write', migrate: true })
      const crew = new Crew(store)
      const root = await crew.create({ title: 'above' })
      const child = await crew.create({ title: 'below', parentTaskId: root.id })
      const leaf = await crew.create({ title: 'deep', parentTaskId: child.id })
      const alone = await crew.create({ title: 'alone' })
      await store.close()
      const kept = await read()
      expect(kept.slice(-4)).toEqual([
        [root.id, root.id, true],
        [child.id, root.id, true],
        [leaf.id, root.id, true],
        [alone.id, alone.id, true],
      ])
      const admin = await openAdmin(place)
      await admin.migrateDown(BEFORE)
      await admin.migrateUp()
      await admin[Symbol.asyncDispose]()
      expect(await read()).toEqual(kept)
    } finally {
      await remove()
    }
  })
})
