/** The journals that are made of the rows of a database: what gets into them, once, and what the database notices of it. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { overwriteFiles } from '../../../src/app/files/overwrite-files'
import { FORGOTTEN_JOURNAL, type RowJournals } from '../../../src/domain/harness/harness-database'
import { opencodeDatabase } from '../../../src/harness/opencode/rows'
import { isRecorded } from '../../../src/harness/opencode/rows/is-recorded'
import { sha256Hex } from '../../../src/util/crypto'
import { until } from '../../lab/until'
import { pick } from '../scenario'
import {
  folderIn,
  journalsBelow,
  journalsOf,
  linesOf,
  OPENCODE_FIXTURES,
  OpencodeRows,
  observe,
  ROWS,
  rowsOf,
  sessionOf,
  takeAll,
} from './database'

let home: string
let folder: string
let open: RowJournals[]
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  folder = folderIn(home, 'one')
  open = []
})
afterEach(() => {
  for (const each of open) each.close()
  rmSync(home, { recursive: true, force: true })
})

const start = (source: string, into = folder): RowJournals => {
  const journals = opencodeDatabase.open(source, into)
  open.push(journals)
  return journals
}

const database = (): OpencodeRows => new OpencodeRows(join(home, 'data/opencode'))
const journalOf = (session: string) => journalsBelow(folder).find(({ ref }) => ref.path.endsWith(`/${session}.jsonl`))
const lines = (session: string) => linesOf(journalOf(session) ?? { bytes: Buffer.alloc(0) })

test('every row is there once and exactly as it was, in the file of its session; nothing is added by a second look', async () => {
  using rows = database()
  rows.add(ROWS)
  await journalsOf(rows.root, folder)
  const all = journalsBelow(folder).flatMap(linesOf)
  expect(all).toHaveLength(ROWS.length)
  for (const { table, row } of ROWS) {
    const id = table === 'todo' ? `${row.session_id}/${row.position}` : row.id
    const line = all.find((each) => each.table === table && each.id === id)
    const { data, ...columns } = row
    expect(line?.row).toMatchObject(columns)
    if (data !== undefined) {
      const journal = journalOf(String(row.session_id))
      expect(journal?.bytes.includes(`"data":${data}`)).toBe(true)
    }
  }
  const before = journalsBelow(folder).map(({ bytes }) => bytes.toString())
  await journalsOf(rows.root, folder)
  expect(journalsBelow(folder).map(({ bytes }) => bytes.toString())).toEqual(before)
})

test('each change of a row is appended, and a row that goes is told of', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  const session = sessionOf('hello')
  const before = lines(session).length
  const part = String(ROWS.find((each) => each.story === 'hello' && each.table === 'part')?.row.id)
  rows.change('part', part, { data: '{"type":"text","text":"changed"}' }, Date.now())
  expect((await journals.look()).paths).toEqual([journalOf(session)?.ref.path ?? ''])
  expect(lines(session).slice(before)).toMatchObject([{ table: 'part', id: part, row: { data: { text: 'changed' } } }])
  rows.change('session', session, { title: 'Another' }, Date.now())
  await journals.look()
  expect(lines(session).at(-1)).toMatchObject({ table: 'session', row: { title: 'Another' } })
  rows.db.run('delete from part where id = ?', [part])
  rows.change('session', session, { title: 'A third' }, Date.now())
  await until('the row is told to be gone', async () => {
    await journals.look()
    return lines(session).some((line) => line.id === part && line.version === 'gone')
  })
})

test('a journal is not all of a session while older messages that came at once are missing', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  // As an import of the CLI does, before a run goes on in it: only its last messages are taken over at once.
  rows.add(rowsOf('plan'))
  const session = sessionOf('plan')
  const isWhole = () => isRecorded(rows.root, session, journalOf(session)?.bytes ?? new Uint8Array())
  await journals.look()
  expect(journalOf(session)).toBeDefined()
  expect(isWhole()).toBe(false)
  await until('the whole session', async () => {
    await journals.look()
    return isWhole()
  })
  expect(lines(session).filter(({ table }) => table === 'message')).toHaveLength(6)
  // What the database does not have it holds no more of.
  expect(isRecorded(rows.root, 'ses_of_another_machine', new Uint8Array())).toBe(true)
  expect(isRecorded(join(home, 'nowhere'), session, new Uint8Array())).toBe(true)
})

test('a title that the CLI changes without a trace in its list is found too', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  rows.db.run('update session set title = ? where id = ?', ['Renamed', sessionOf('hello')])
  await until('the new title', async () => {
    await journals.look()
    return (
      lines(sessionOf('hello')).at(-1)?.row !== undefined &&
      JSON.stringify(lines(sessionOf('hello')).at(-1)).includes('Renamed')
    )
  })
})

test('of a tool that prints all the time some versions are left out, the last one never', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  const session = sessionOf('hello')
  const part = String(ROWS.findLast((each) => each.story === 'hello' && each.table === 'part')?.row.id)
  const tool = (status: string, output: string): string =>
    JSON.stringify({
      type: 'tool',
      tool: 'bash',
      callID: 'call_000001',
      state: { status, input: {}, metadata: { output } },
    })
  const before = lines(session).length
  for (let n = 1; n <= 30; n++) {
    rows.change('part', part, { data: tool('running', 'x'.repeat(n)) }, Date.now() + n)
    await journals.look()
  }
  rows.change('part', part, { data: tool('completed', 'x'.repeat(30)) }, Date.now() + 31)
  await journals.look()
  const added = lines(session)
    .slice(before)
    .filter(({ id }) => id === part)
  expect(added.length).toBeLessThan(10)
  expect(added[0]).toMatchObject({ row: { data: { state: { status: 'running' } } } })
  expect(added.at(-1)).toMatchObject({ row: { data: { state: { status: 'completed' } } } })
})

test('releases without a list of what happened: changes are found by comparing', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  rows.db.run('drop table event')
  const journals = start(rows.root)
  await takeAll(journals)
  const part = String(ROWS.find((each) => each.story === 'hello' && each.table === 'part')?.row.id)
  const now = Date.now()
  rows.db.run('update part set data = ?, time_updated = ? where id = ?', [
    '{"type":"text","text":"changed"}',
    now,
    part,
  ])
  rows.db.run('update session set time_updated = ? where id = ?', [now, sessionOf('hello')])
  await until('the change', async () => {
    await journals.look()
    return lines(sessionOf('hello')).some((line) => line.id === part && JSON.stringify(line).includes('changed'))
  })
})

test('releases without a list of what happened: a turn goes on without a trace in its session', async () => {
  using rows = database()
  const all = rowsOf('hello').filter(({ table }) => table !== 'todo')
  const [own, ...rest] = all
  rows.add(own === undefined ? [] : [own])
  rows.db.run('drop table event')
  const journals = start(rows.root)
  await takeAll(journals)
  for (const row of rest) {
    rows.insert(row)
    // Until its rows are compared and nothing is left to look for.
    await takeAll(journals)
  }
  expect(lines(sessionOf('hello')).map(({ id }) => id)).toEqual(all.map(({ row }) => String(row.id)))
})

test('a session that a launched session launched stands below the one at the top, at any depth', async () => {
  using rows = database()
  const [own] = rowsOf('hello')
  const session = (id: string, parent: string | null) => ({
    ...{ story: 'hello' as const, table: 'session' as const },
    row: { ...own?.row, id, parent_id: parent },
  })
  rows.add([session('ses_1', null), session('ses_2', 'ses_1'), session('ses_3', 'ses_2'), session('ses_4', 'ses_none')])
  // Two that name each other, as only a damaged database has them.
  rows.add([session('ses_5', 'ses_6'), session('ses_6', 'ses_5')])
  await journalsOf(rows.root, folder)
  const places = journalsBelow(folder).map(({ ref }) => [ref.subagentId ?? ref.sessionId, ref.sessionId])
  expect(places.toSorted()).toMatchObject([
    ['ses_1', 'ses_1'],
    ['ses_2', 'ses_1'],
    ['ses_3', 'ses_1'],
    ['ses_4', 'ses_4'],
    ['ses_5', 'ses_5'],
    ['ses_6', 'ses_6'],
  ])
})

test('what stands only in the log of writes is read, and neither file of the database changes', async () => {
  using rows = database()
  rows.add(rowsOf('sub'))
  expect(statSync(rows.path).size).toBeLessThan(statSync(`${rows.path}-wal`).size)
  const files = () => [rows.path, `${rows.path}-wal`].map((path) => sha256Hex(readFileSync(path)))
  const before = files()
  await journalsOf(rows.root, folder)
  expect(files()).toEqual(before)
  expect(journalsBelow(folder)).toHaveLength(3)
})

test('the CLI writes while the journals have the database open, and beside them', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  rows.db.run('pragma busy_timeout = 0')
  rows.add(rowsOf('plan'))
  expect(rows.db.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy).toBe(0)
  rows.add(rowsOf('sub'))
  await takeAll(journals)
  expect(journalsBelow(folder)).toHaveLength(5)
})

test('a database that the CLI has closed is read without a file beside it, and goes on when it is opened again', async () => {
  const rows = database()
  rows.add(rowsOf('hello'))
  rows[Symbol.dispose]()
  for (const end of ['-wal', '-shm']) rmSync(`${rows.path}${end}`, { force: true })
  const journals = start(rows.root)
  await takeAll(journals)
  expect(readdirSync(rows.root)).toEqual(['opencode.db'])
  expect(journalsBelow(folder)).toHaveLength(1)
  using again = new (await import('bun:sqlite')).Database(rows.path)
  again.run('update session set title = ?', ['Later'])
  again.run("insert into event values ('evt_9', ?, 9000, 'x', '{}')", [sessionOf('hello')])
  await until('the title', async () => {
    await journals.look()
    return journalOf(sessionOf('hello'))?.bytes.includes('Later') === true
  })
})

test('an idle database is not opened, by this process or the next one', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  await journalsOf(rows.root, folder)
  // What has to look again has it open.
  expect(await start(rows.root).look()).toEqual({ paths: [], isBehind: false, againInMs: null, problem: null })
})

test('half a line that a crash left is cut off, and its row comes again', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  await journalsOf(rows.root, folder)
  const path = journalOf(sessionOf('hello'))?.ref.path ?? ''
  const whole = readFileSync(path, 'utf8')
  truncateSync(path, whole.length - 20)
  rmSync(join(folder, 'rows/index.json'))
  await journalsOf(rows.root, folder)
  expect(readFileSync(path, 'utf8')).toBe(whole)
  appendFileSync(path, '{"table":"part","id":"prt_half')
  rmSync(join(folder, 'rows/index.json'))
  await journalsOf(rows.root, folder)
  expect(readFileSync(path, 'utf8')).toBe(whole)
})

test('a session that was forgotten gets no line any more', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  const path = journalOf(sessionOf('hello'))?.ref.path ?? ''
  writeFileSync(path, FORGOTTEN_JOURNAL)
  rows.change('session', sessionOf('hello'), { title: 'Again' }, Date.now())
  for (let n = 0; n < 3; n++) await journals.look()
  expect(readFileSync(path, 'utf8')).toBe(FORGOTTEN_JOURNAL)
  expect(pick(observe([{ ref: journalsBelow(folder)[0]?.ref as never, bytes: readFileSync(path) }]), 'event')).toEqual(
    [],
  )
})

test('words that were erased in a journal do not come back, for this process and the next one', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const journals = start(rows.root)
  await takeAll(journals)
  const word = Buffer.from('Hello from the scripted model.')
  const path = journalOf(sessionOf('hello'))?.ref.path ?? ''
  expect(overwriteFiles(join(home, 'rows'), word, 'erased')).toEqual([path])
  rows.change('session', sessionOf('hello'), { title: 'Again' }, Date.now())
  await until('the new title', async () => {
    await journals.look()
    return readFileSync(path, 'utf8').includes('Again')
  })
  journals.close()
  rmSync(join(folder, 'rows/index.json'), { force: true })
  await journalsOf(rows.root, folder)
  expect(readFileSync(path).includes(word)).toBe(false)
  expect(linesOf({ bytes: readFileSync(path) }).length).toBeGreaterThan(rowsOf('hello').length)
})

test('two processes: one makes the journals, and the other one waits for its end', async () => {
  using rows = database()
  rows.add(rowsOf('hello'))
  const first = start(rows.root)
  await takeAll(first)
  rows.add(rowsOf('plan'))
  const second = start(rows.root)
  expect(await takeAll(second)).toEqual([])
  first.close()
  expect(await takeAll(second)).toHaveLength(1)
})

describe('what is not understood is said', () => {
  test('a database of other tables', async () => {
    mkdirSync(join(home, 'two'))
    const db = new (await import('bun:sqlite')).Database(join(home, 'two/opencode.db'))
    db.run('create table session (id text primary key, project_id text); create table session_message (id text)')
    db.close()
    const { problem } = await start(join(home, 'two')).look()
    expect(problem).toStartWith('its tables are not those of opencode 1.x')
    expect(problem).toContain('opencode 2.x is not understood')
  })

  test('conversations of 2.x beside those of 1.x', async () => {
    using rows = database()
    rows.add(rowsOf('hello'))
    rows.db.run("insert into session_message values ('m', ?, 'user', 1, 1, 1, '{}')", [sessionOf('hello')])
    const journals = start(rows.root)
    const { problem } = await journals.look()
    expect(problem).toBe('opencode 2.x wrote 1 of its conversations, whose messages are not understood')
    expect(journalsBelow(folder)).toHaveLength(1)
  })

  test('bytes that are no database', async () => {
    mkdirSync(join(home, 'three'))
    writeFileSync(join(home, 'three/opencode.db'), 'nothing')
    await expect(start(join(home, 'three')).look()).rejects.toThrow('not a database')
  })

  test('whatever of a database is damaged, all sessions that can be read come in, and the others once it is whole', async () => {
    const path = (() => {
      using rows = database()
      // Long words spread the sessions over pages of their own.
      for (const each of ROWS) {
        const data =
          typeof each.row.data === 'string' ? each.row.data.replace(/^\{/, `{"pad":"${'x'.repeat(900)}",`) : undefined
        rows.add([{ ...each, row: { ...each.row, ...(data !== undefined && { data }) } }])
      }
      rows.db.run('pragma wal_checkpoint(truncate)')
      return rows.path
    })()
    const whole = readFileSync(path)
    const sessions = [...new Set(ROWS.filter(({ table }) => table === 'session').map(({ row }) => String(row.id)))]
    const rowsIn = (db: Database, session: string) =>
      (['message', 'part'] as const).flatMap((table) =>
        db
          .query<{ id: string; data: string }, [string]>(`select id, data from ${table} where session_id = ?`)
          .all(session),
      )
    const readable = (): Map<string, string[]> => {
      using db = new Database(path, { readonly: true })
      const found = new Map<string, string[]>()
      for (const session of sessions)
        try {
          if (db.query('select * from session where id = ?').get(session) === null) continue
          found.set(
            session,
            rowsIn(db, session).map(({ id }) => id),
          )
        } catch {
          // It can't be read.
        }
      return found
    }
    const all = readable()
    let seed = 0
    const damage = fc.record({
      page: fc.integer({ min: 2, max: whole.length / 4_096 - 1 }),
      at: fc.nat(4_095),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ page, at, bytes }) => {
        const into = folderIn(home, `damaged-${seed++}`)
        const hurt = Buffer.from(whole)
        hurt.set(bytes.subarray(0, 4_096 - at), page * 4_096 + at)
        writeFileSync(path, hurt)
        const [journals, left] = [start(dirname(path), into), readable()]
        let isKnown = false
        const look = async () => {
          for (let n = 0; n < 20; n++)
            try {
              const { isBehind, problem } = await journals.look()
              isKnown ||= problem !== null
              if (!isBehind) return
            } catch {
              isKnown = true
            }
        }
        await look()
        const taken = () => {
          const found = new Map<string, string[]>()
          for (const journal of journalsBelow(into)) {
            const told = linesOf(journal).filter(({ table }) => table === 'message' || table === 'part')
            found.set(
              String(journal.ref.subagentId ?? journal.ref.sessionId),
              told.map(({ id }) => String(id)),
            )
          }
          return found
        }
        const first = taken()
        for (const [session, ids] of left) expect(ids.filter((id) => !first.get(session)?.includes(id))).toEqual([])
        writeFileSync(path, whole)
        utimesSync(path, new Date(), new Date(Date.now() + 5_000))
        await look()
        // SQLite does not notice all damage.
        if (!isKnown) return
        const second = taken()
        for (const [session, ids] of all) expect(ids.filter((id) => !second.get(session)?.includes(id))).toEqual([])
        journals.close()
      }),
      { numRuns: 25, seed: 16 },
    )
  })

  test('ids that lead out of the folder', async () => {
    using rows = database()
    rows.add(
      rowsOf('hello').map((each) => ({
        ...each,
        row: { ...each.row, ...(each.table === 'session' ? { id: '../../x' } : {}) },
      })),
    )
    await journalsOf(rows.root, folder)
    expect(journalsBelow(home)).toEqual([])
    expect(existsSync(join(home, 'rows/opencode/x.jsonl'))).toBe(false)
  })
})

describe('conversations that stand in no database', () => {
  test('the document of opencode export says what its rows say', async () => {
    const path = join(OPENCODE_FIXTURES, 'export.json')
    expect(opencodeDatabase.recognises(path)).toBe(true)
    await journalsOf(path, folder)
    const seen = observe(journalsBelow(folder))
    expect(pick(seen, 'event').map(({ type }) => type)).toEqual([
      ...['prompt', 'tool_call', 'tool_result', 'tool_call', 'tool_result', 'text'],
    ] as never)
    expect(pick(seen, 'session')).toContainEqual(
      expect.objectContaining({ cwd: '/home/user/project', agentVersion: '1.18.33' }),
    )
    expect(pick(seen, 'usage')).toHaveLength(2)
  })

  test('the files of releases before the database', async () => {
    const storage = join(home, 'data/opencode/storage')
    const write = (path: string, value: object): void => {
      mkdirSync(join(storage, path, '..'), { recursive: true })
      writeFileSync(join(storage, `${path}.json`), JSON.stringify(value, null, 2))
    }
    const at = Date.UTC(2025, 9, 1)
    const ids = { id: 'ses_old1', projectID: 'global' }
    write('session/global/ses_old1', {
      ...ids,
      directory: '/p',
      title: 'Old',
      version: '0.15.0',
      time: { created: at, updated: at },
    })
    write('message/ses_old1/msg_1', { id: 'msg_1', role: 'user', sessionID: 'ses_old1', time: { created: at } })
    write('part/msg_1/prt_1', { id: 'prt_1', messageID: 'msg_1', type: 'text', text: 'Hello of old' })
    expect(opencodeDatabase.recognises(storage)).toBe(true)
    await journalsOf(join(home, 'data/opencode'), folder)
    const seen = observe(journalsBelow(folder))
    expect(pick(seen, 'event')).toMatchObject([{ type: 'prompt', text: 'Hello of old', at }])
    expect(pick(seen, 'session')[0]).toMatchObject({ cwd: '/p', agentVersion: '0.15.0', title: { text: 'Old' } })
  })

  test('the files of the first releases: by project, with no folder in the session and all of an answer in one file', async () => {
    const project = join(home, 'data/opencode/project/home-user-p/storage/session')
    const write = (path: string, value: object): void => {
      mkdirSync(join(project, path, '..'), { recursive: true })
      writeFileSync(join(project, `${path}.json`), JSON.stringify(value, null, 2))
    }
    const at = Date.UTC(2025, 5, 20)
    const tokens = { input: 10, output: 2, reasoning: 0, cache: { read: 5, write: 1 } }
    write('info/ses_a', { id: 'ses_a', title: 'First', version: '0.1.100', time: { created: at, updated: at } })
    write('message/ses_a/msg_1', {
      ...{ id: 'msg_1', role: 'user', parts: [{ type: 'text', text: 'Begin' }] },
      metadata: { sessionID: 'ses_a', time: { created: at }, tool: {} },
    })
    write('message/ses_a/msg_2', {
      ...{ id: 'msg_2', role: 'assistant' },
      parts: [
        { type: 'step-start' },
        { type: 'text', text: 'I look.' },
        {
          type: 'tool-invocation',
          toolInvocation: {
            ...{ state: 'result', toolCallId: 'call_0000000001', toolName: 'bash', args: { command: 'ls' } },
            result: 'a.txt',
          },
        },
      ],
      metadata: {
        ...{ sessionID: 'ses_a', time: { created: at + 1, completed: at + 9 } },
        tool: { call_0000000001: { title: 'ls', time: { start: at + 2, end: at + 3 } } },
        assistant: { modelID: 'm1', providerID: 'p', cost: 0, tokens, path: { cwd: '/p', root: '/p' } },
      },
    })
    write('info/ses_b', { id: 'ses_b', title: 'Second', version: '0.3.1', time: { created: at, updated: at } })
    write('message/ses_b/msg_3', {
      ...{ id: 'msg_3', role: 'assistant', sessionID: 'ses_b', modelID: 'm2', tokens, path: { cwd: '/q', root: '/q' } },
      time: { created: at + 20, completed: at + 30 },
    })
    write('part/ses_b/msg_3/prt_1', { id: 'prt_1', messageID: 'msg_3', type: 'text', text: 'Words without a time' })
    expect(opencodeDatabase.recognises(join(home, 'data/opencode'))).toBe(true)
    await journalsOf(join(home, 'data/opencode'), folder)
    const seen = observe(journalsBelow(folder))
    expect(pick(seen, 'event').map(({ type, text, at: time }) => [type, text?.split('\n')[0], time])).toEqual([
      ['prompt', 'Begin', at],
      ['text', 'I look.', at + 1],
      ['tool_call', 'bash', at + 2],
      ['tool_result', 'a.txt', at + 3],
      ['text', 'Words without a time', at + 20],
    ])
    expect(pick(seen, 'tool_result')).toMatchObject([{ toolUseId: 'call_0000000001', isError: false }])
    expect(pick(seen, 'usage')).toMatchObject([
      { model: 'm1', inputTokens: 10, outputTokens: 2, cacheReadTokens: 5, cacheCreationTokens: 1 },
      { model: 'm2', inputTokens: 10, outputTokens: 2 },
    ])
    expect(pick(seen, 'session').flatMap(({ cwd }) => cwd ?? [])).toEqual(['/p', '/q'])
  })

  test('other files and folders are none', () => {
    writeFileSync(join(home, 'a.json'), '{"info":1}')
    expect(opencodeDatabase.recognises(home)).toBe(false)
    expect(opencodeDatabase.recognises(join(home, 'none'))).toBe(false)
  })
})
