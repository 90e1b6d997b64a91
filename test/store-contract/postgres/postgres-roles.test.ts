/** The two roles that the guide describes: one that changes the schema, and one that serves and can't. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createRecordEngine } from '../../../src/app/threads/record-engine'
import { sessionId } from '../../../src/domain/ids'
import { createAuditService } from '../../../src/engine/audit/audit-service'
import { verifyAudit } from '../../../src/engine/audit/verify'
import { createMessageService } from '../../../src/engine/messages/message-service'
import { openStore } from '../../../src/store/open'
import { testDatabase } from '../../postgres'
import { Crew, OPERATOR } from '../../tasks/crew'
import { failureOf } from '../databases'
import { sampleSession } from '../sample'

const GUIDE = readFileSync(join(import.meta.dir, '../../../docs/guide/machines.md'), 'utf8')

/** The guide's blocks of statements, before and after the migration, with names of this test's own: roles are the whole server's. */
function statementsOf(suffix: string): string[] {
  return [...GUIDE.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block = '']) =>
    block.replace(/lodeline_(migrate|serve)/g, `$&_${suffix}`),
  )
}

test('the serving role of the guide works without the right to change the schema, and adds to the audit log alone', async () => {
  const made = await testDatabase({ isEmpty: true })
  const suffix = crypto.randomUUID().slice(0, 8)
  const [migrate, serve] = [`lodeline_migrate_${suffix}`, `lodeline_serve_${suffix}`]
  const admin = new SQL(made.url, { max: 1 })
  const as = (role: string) => {
    const url = new URL(made.url)
    url.username = role
    return url.href
  }
  const sql = new SQL(as(serve), { max: 1 })
  try {
    const [before = '', after = ''] = statementsOf(suffix)
    await admin.unsafe(before)
    await (await openStore({ url: as(migrate), mode: 'read-write', migrate: true })).close()
    await admin.unsafe(after)
    const store = await openStore({ url: as(serve), mode: 'read-write', migrate: true })
    try {
      const crew = new Crew(store)
      const task = await crew.create()
      const worker = await crew.worker('w')
      await worker.end(await worker.take(), 'completed', { output: 'done' })
      expect((await crew.task(task.id)).status).toBe('completed')
      await createMessageService({ store }).send(OPERATOR, { to: task.id, kind: 'message', text: 'x' } as never, 'key')
      const id = crypto.randomUUID()
      await store.write((tx) => sampleSession(tx, { id, lines: ['{}'] }))
      expect(await createRecordEngine(store, { name: 'h', hostname: 'h' }).forget(sessionId(id))).not.toBeNull()
      expect(Number(await store.feed.head())).toBeGreaterThan(0)
      const audit = createAuditService({ store })
      await audit.record({
        act: 'login.code',
        actor: { kind: 'operator', name: null, peer: null },
        target: null,
        detail: {},
      })
      expect((await verifyAudit(store.audit)).isWhole).toBe(true)
      for (const statement of [
        'create table x (a int)',
        'alter table tasks add column x int',
        'drop table tasks',
        "update audit_lines set act = 'x'",
        'delete from audit_lines',
        'truncate audit_lines',
      ])
        expect([statement, (await failureOf(sql.unsafe(statement))).message]).toEqual([
          statement,
          expect.stringMatching(/permission denied|must be owner/),
        ])
    } finally {
      await store.close()
    }
  } finally {
    await sql.close()
    await admin.unsafe(`drop owned by ${serve}; drop owned by ${migrate}; drop role ${serve}; drop role ${migrate}`)
    await admin.close()
    await made.drop()
  }
})
