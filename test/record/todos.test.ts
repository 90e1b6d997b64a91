/** To-dos as they come: by hooks, stream, transcript and the CLI's own files, in any order and part, on both databases. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import fc from 'fast-check'
import { createRecordEngine, type KeptStore } from '../../src/app/threads/record-engine'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { encodeHookLine } from '../../src/util/hook-journal'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { HOST, prompt, transcript, uuid, write } from './recording'

const FIXTURES = join(import.meta.dir, '../fixtures/claude-code')
const VERSIONS = ['2.0.30', '2.1.10', '2.1.197', '2.1.328'] as const
const SESSION = '11111111-1111-4111-8111-111111111111'
const AT = 1_795_170_332_000

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

type Engine = ReturnType<typeof createRecordEngine>
const engineOn = (store: KeptStore): Engine => createRecordEngine(store, HOST)
const hooksRef = (name: string): JournalRef => ({
  agent: 'claude-code',
  kind: 'hooks',
  path: join(root, name),
  sessionId: null,
  subagentId: null,
})

/** One line of the hook journal. */
function hookLine(payload: object, at = AT, env: Record<string, string> = {}): Buffer {
  return Buffer.from(encodeHookLine({ at, pid: 1, ppid: 1, env, isCut: false }, Buffer.from(JSON.stringify(payload))))
}

function hooks(name: string, ...lines: Buffer[]): JournalRef {
  const ref = hooksRef(name)
  mkdirSync(dirname(ref.path), { recursive: true })
  writeFileSync(ref.path, Buffer.concat(lines))
  return ref
}

const shown = async (store: Store, id: string) =>
  (await store.todos.list({ sessionId: sessionId(id), includeRemoved: true })).map(
    ({ id: todo, content, status, description, activeForm, blockedBy, ordinal }) => ({
      id: todo,
      content,
      status,
      description,
      activeForm,
      blockedBy,
      ordinal,
    }),
  )

async function tableRows({ place }: ContractDatabase, query: string): Promise<Record<string, unknown>[]> {
  const sql = place.url ? new SQL(place.url, { max: 1 }) : new SQL(`sqlite://${place.path}`)
  try {
    const rows: Record<string, unknown>[] = await sql.unsafe(query)
    return rows.map((row) => ({ ...row, ...('at' in row && { at: Number(row.at) }) }))
  } finally {
    await sql.close()
  }
}

/** The recording of one version in three journals that say the same, and the CLI's files of items. */
function recording(version: string) {
  const folder = join(FIXTURES, 'transcripts', version, 'todos')
  const file = readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? ''
  const session = file.slice(0, 36)
  const ref = transcript(root, session)
  const bytes = readFileSync(join(folder, file))
  write(ref, bytes)
  const streams = readdirSync(join(FIXTURES, 'stream', version))
    .filter((name) => name.startsWith('todos'))
    .map((name): JournalRef => {
      const path = join(root, 'streams', version, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, readFileSync(join(FIXTURES, 'stream', version, name)))
      return { agent: 'claude-code', kind: 'stream', path, sessionId: null, subagentId: null }
    })
  const files: JournalRef[] = []
  for (const name of version >= '2.1.1' && version !== '2.1.10' ? readdirSync(join(folder, 'tasks')) : []) {
    const path = join(root, 'tasks', session, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, readFileSync(join(folder, 'tasks', name)))
    files.push({ agent: 'claude-code', kind: 'tasks', path, sessionId: session, subagentId: null })
  }
  return {
    session,
    transcript: ref,
    streams,
    hooks: hooks(`hooks-${version}.jsonl`, ...hooksOf(session, bytes)),
    files,
  }
}

interface Line {
  timestamp?: string
  toolUseResult?: unknown
  message?: {
    content?: { type: string; id?: string; name?: string; input?: unknown; tool_use_id?: string; is_error?: boolean }[]
  }
}

/** What `lode hook` would have kept: a payload before and after each call, a little earlier than the line. */
function hooksOf(session: string, bytes: Buffer): Buffer[] {
  const calls = new Map<string, { name: string; input: unknown }>()
  const lines: Buffer[] = []
  for (const text of bytes.toString().trim().split('\n')) {
    const line = JSON.parse(text) as Line
    const at = Date.parse(line.timestamp ?? '') - 5
    for (const block of Array.isArray(line.message?.content) ? line.message.content : []) {
      const base = { session_id: session, transcript_path: '/x.jsonl', cwd: '/home/user/project' }
      if (block.type === 'tool_use' && block.id && block.name) {
        calls.set(block.id, { name: block.name, input: block.input })
        const call = { tool_name: block.name, tool_input: block.input, tool_use_id: block.id }
        lines.push(hookLine({ ...base, hook_event_name: 'PreToolUse', ...call }, at))
      } else if (block.type === 'tool_result' && block.tool_use_id && block.is_error !== true) {
        const call = calls.get(block.tool_use_id)
        const payload = { ...base, hook_event_name: 'PostToolUse', tool_name: call?.name, tool_input: call?.input }
        lines.push(hookLine({ ...payload, tool_response: line.toolUseResult, tool_use_id: block.tool_use_id }, at))
      }
    }
  }
  return lines
}

onEachDatabase((database) => {
  describe.each([...VERSIONS])('the tools of %s', (version) => {
    test('hooks, streams and transcript tell the same, alone and together in any order', async () => {
      const { store } = database
      const { session, files, ...paths } = recording(version)
      const alone: unknown[] = []
      for (const refs of [[paths.transcript], paths.streams, [paths.hooks]]) {
        await fresh(database)
        for (const ref of [...refs, ...files]) await engineOn(store).recordFile(ref)
        alone.push(await shown(store, session))
      }
      expect((alone[0] as unknown[]).length).toBeGreaterThan(1)
      expect(alone[1]).toEqual(alone[0])
      expect(alone[2]).toEqual(alone[0])

      await fresh(database)
      for (const ref of [paths.transcript, ...files]) await engineOn(store).recordFile(ref)
      const whole = await todoRows(database)
      const all = [paths.transcript, ...paths.streams, paths.hooks, ...files]
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (order) => {
          await fresh(database)
          for (const ref of order) await engineOn(store).recordFile(ref)
          expect(await todoRows(database)).toEqual(whole)
        }),
        { numRuns: 4 },
      )
      const engine = engineOn(store)
      await engine.rebuild()
      expect(await todoRows(database)).toEqual(whole)
    })
  })

  test('a payload that is handed over is one change, twice or not; other tools change nothing', async () => {
    const { store } = database
    await fresh(database)
    const todos = [{ content: 'Test', status: 'pending' }]
    const call = { session_id: SESSION, tool_name: 'TodoWrite', tool_input: { todos } }
    const engine = engineOn(store)
    await engine.recordFile(
      hooks('sync-1.jsonl', hookLine(call), hookLine(call), hookLine({ ...call, tool_name: 'Bash' }, AT + 1)),
    )
    expect((await shown(store, SESSION)).map(({ content, status }) => [content, status])).toEqual([['Test', 'pending']])
    expect(
      await tableRows(database, `select tool_use_id from todo_changes where tool_use_id like 'sync:%'`),
    ).toHaveLength(1)
    // Anybody's agent, by the tool of Lodeline's own.
    const mine = { ...call, tool_name: 'mcp__lodeline__update-todos', tool_use_id: 'toolu_9' }
    await engine.recordFile(
      hooks(
        'sync-2.jsonl',
        hookLine({ ...mine, tool_input: { todos: [{ content: 'Test', status: 'completed' }] } }, AT + 2),
      ),
    )
    expect((await shown(store, SESSION)).map(({ status }) => status)).toEqual(['completed'])
  })

  test('an own tool is one change whether its call or its line came', async () => {
    const { store } = database
    const todos = [{ content: 'Read', status: 'in_progress' }]
    const ref = transcript(root, SESSION)
    const line = {
      parentUuid: null,
      isSidechain: false,
      sessionId: SESSION,
      type: 'assistant',
      uuid: uuid(),
      timestamp: new Date(AT).toISOString(),
      message: {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__lodeline__update-todos', input: { todos } }],
      },
    }
    write(ref, `${prompt(SESSION, 'hello')}${JSON.stringify(line)}\n`)
    const said = { session_id: SESSION, tool_name: 'update-todos', tool_input: { todos }, tool_use_id: 'toolu_1' }
    const journal = hooks('mcp.jsonl', hookLine(said, AT - 3))
    const outcomes: unknown[] = []
    for (const refs of [[ref], [ref, journal], [journal, ref]]) {
      await fresh(database)
      for (const one of refs) await engineOn(store).recordFile(one)
      outcomes.push(await todoRows(database))
    }
    expect(outcomes[0]).toHaveLength(1)
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[2]).toEqual(outcomes[0])
  })

  test('a hook that names a shared list, and the files of its folder', async () => {
    const { store } = database
    const env = { CLAUDE_CODE_TASK_LIST_ID: 'my list/1' }
    const other = SESSION.replaceAll('1', '2')
    const path = join(root, 'tasks', 'my-list-1', '7.json')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      JSON.stringify({
        id: '7',
        subject: 'from the file',
        description: '',
        status: 'pending',
        blocks: [],
        blockedBy: [],
      }),
    )
    const file: JournalRef = { agent: 'claude-code', kind: 'tasks', path, sessionId: null, subagentId: null }
    const call = (id: string, toolUseId: string, task: string) => ({
      session_id: id,
      hook_event_name: 'PostToolUse',
      tool_name: 'TaskCreate',
      tool_input: { subject: `task ${task}` },
      tool_response: { task: { id: task, subject: `task ${task}` } },
      tool_use_id: toolUseId,
    })
    const refs = [
      hooks('shared-1.jsonl', hookLine(call(SESSION, 'toolu_1', '1'), AT, env)),
      hooks('shared-2.jsonl', hookLine(call(other, 'toolu_2', '2'), AT + 1, env)),
      file,
    ]
    const outcomes: unknown[] = []
    for (const order of [refs, refs.toReversed(), [refs[2], refs[0], refs[1]]]) {
      await fresh(database)
      for (const ref of order) if (ref) await engineOn(store).recordFile(ref)
      outcomes.push(await todoRows(database))
      const seen = await shown(store, SESSION)
      expect(seen.map(({ content }) => content).toSorted()).toEqual(['from the file', 'task 1', 'task 2'])
      expect(await shown(store, other)).toEqual(seen)
      // Each gets the whole list as its own, and none of it as what the other one left.
      const both = [sessionId(SESSION), sessionId(other)]
      for (const own of both) {
        const told = (await store.recall.session(own))?.todos ?? []
        expect(told.map(({ content }) => content).toSorted()).toEqual(['from the file', 'task 1', 'task 2'])
      }
      expect(await store.recall.left(sessionId(other), both.slice(0, 1))).toBeUndefined()
      expect((await store.recall.left(sessionId(other)))?.todos.map(({ content }) => content)).toEqual(['task 2'])
    }
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[2]).toEqual(outcomes[0])
    await engineOn(store).rebuild()
    expect(await todoRows(database)).toEqual(outcomes[0] as never)

    // The limit holds for what a forgotten session leaves of a list too.
    const engine = createRecordEngine(store, HOST, null, { todos: { maxItems: 1, onReplace: 'merge' } })
    expect(await engine.forget(sessionId(other))).not.toBeNull()
    expect((await shown(store, SESSION)).map(({ content }) => content)).toHaveLength(1)
  })

  test('prompts, branches and the environment leave their words; copies, notices and sub-agents none', async () => {
    const { store } = database
    await fresh(database)
    const ref = transcript(root, SESSION)
    const own = uuid()
    const changed = (line: string, change: object) => `${JSON.stringify({ ...JSON.parse(line), ...change })}\n`
    const notice = '<task-notification>\n<task-id>ld-n0n0</task-id>\n</task-notification>'
    write(
      ref,
      [
        prompt(SESSION, 'copied: ld-c0c0', uuid()).replace(
          '"parentUuid"',
          '"forkedFrom":{"sessionId":"x"},"parentUuid"',
        ),
        changed(prompt(SESSION, 'work on ld-a1b2, see https://x.org/ld-e5e5', own, AT), {
          gitBranch: 'feature/ld-b2c3-fix',
        }),
        changed(prompt(SESSION, 'side: ld-d4d4', uuid(), AT + 1), { isSidechain: true, agentId: 'a1' }),
        prompt(SESSION, notice, uuid(), AT + 2),
      ].join(''),
    )
    const env = { LODELINE_ISSUE: 'LD-f6f6' }
    const start = { session_id: SESSION, hook_event_name: 'SessionStart', source: 'startup', cwd: '/home/user/project' }
    const journal = hooks('issue.jsonl', hookLine(start, AT + 9, env), hookLine(start, AT + 5, env))
    const engine = engineOn(store)
    for (const one of [ref, journal, ref]) await engine.recordFile(one)
    const rows = () => tableRows(database, 'select source, place, word, at from session_mentions order by source, word')
    const found = await rows()
    expect(found.filter(({ source }) => source !== 'branch')).toEqual([
      { source: 'environment', place: '', word: 'ld-f6f6', at: AT + 5 },
      { source: 'prompt', place: own, word: 'ld-a1b2', at: AT },
    ])
    expect(found.filter(({ source }) => source === 'branch')).toContainEqual({
      source: 'branch',
      place: 'feature/ld-b2c3-fix',
      word: 'ld-b2c3',
      at: AT,
    })
    await engine.rebuild()
    expect(await rows()).toEqual(found)
    await engine.forget(sessionId(SESSION))
    expect(await rows()).toEqual([])
  })

  test('a rebuild with another limit keeps as many', async () => {
    const { store } = database
    await fresh(database)
    const todos = Array.from({ length: 12 }, (_, at) => ({ content: `item ${at}`, status: 'pending' }))
    const journal = hooks(
      'limit.jsonl',
      hookLine({ session_id: SESSION, tool_name: 'TodoWrite', tool_input: { todos } }),
    )
    for (const maxItems of [5, 12, 7]) {
      const engine = createRecordEngine(store, HOST, null, { todos: { maxItems, onReplace: 'merge' } })
      await engine.recordFile(journal)
      await engine.rebuild()
      expect(await shown(store, SESSION)).toHaveLength(maxItems)
    }
  })
})

/** An empty record. */
async function fresh(database: ContractDatabase): Promise<void> {
  await database.store.write((tx) => tx.record.clearProjections())
  for (const table of ['journal_chunks', 'incarnations', 'journals', 'sessions', 'tombstones'])
    await tableRows(database, `delete from ${table}`)
}

/** Items with everything that the fold keeps, by what keys stand for. */
async function todoRows(database: ContractDatabase): Promise<unknown[]> {
  const rows = await tableRows(
    database,
    `select t.id, l.name as list, s.native_id as session, t.ordinal, t.content, t.active_form, t.description, t.owner, t.blocked_by,
       t.status, t.created_at, t.updated_at, t.completed_at, t.history, c.native_id as changed_session, l.left_out
     from todos t join todo_lists l on l.id = t.list_id join sessions s on s.id = t.session_id
       left join sessions c on c.id = t.changed_session_id order by t.id`,
  )
  return rows.map((row) =>
    JSON.parse(JSON.stringify(row, (_, value) => (/^\d{10,15}$/.test(String(value)) ? Number(value) : value))),
  )
}
