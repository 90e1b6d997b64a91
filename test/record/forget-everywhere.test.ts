/** That a forgotten session leaves its words nowhere: not in the database, not in any file of Lodeline's folder. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { copyPath, streamPath, withKept } from '../../src/app/files/kept-files'
import { handoffFiles } from '../../src/app/hooks/handoff-files'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import type { JournalRef } from '../../src/domain/harness/harness'
import { type SessionId, sessionId } from '../../src/domain/ids'
import type { Task } from '../../src/domain/task/task'
import type { Assignment } from '../../src/domain/task/worker-protocol'
import { createMessageService } from '../../src/engine/messages/message-service'
import { encodeHookLine } from '../../src/util/hook-journal'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR } from '../tasks/crew'
import { bytesOf, HOST, prompt, transcript, write } from './recording'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Letters only, as a word of every index; another one each time, since PostgreSQL keeps old rows' bytes in its own time. */
const newWord = () => `zq${crypto.randomUUID().replace(/\W|\d/g, '')}zq${'marker'}`

const hookLine = (session: string, text: string): Buffer =>
  Buffer.from(
    encodeHookLine(
      { at: 1_795_170_332_000, pid: 1, ppid: 1, env: {}, isCut: false },
      Buffer.from(JSON.stringify({ session_id: session, hook_event_name: 'UserPromptSubmit', prompt: text })),
    ),
  )

function openWorld(database: ContractDatabase) {
  const { store } = database
  const home = join(root, 'home')
  mkdirSync(join(home, 'hooks'), { recursive: true })
  const engine = createRecordEngine(store, HOST, home)
  const crew = new Crew(store)
  const messages = createMessageService({ store })
  const hooks: JournalRef = {
    agent: 'claude-code',
    kind: 'hooks',
    path: join(home, 'hooks', 'hooks.jsonl'),
    sessionId: null,
    subagentId: null,
  }
  const record = async (id: string, word: string): Promise<SessionId> => {
    const ref = transcript(root, id)
    write(ref, prompt(id, `please ${word}`))
    await engine.recordFile(ref)
    return sessionId(id)
  }
  /** A task whose run was in the session, and said the word wherever a run can. */
  const work = async (
    session: SessionId,
    word: string,
    isOver: boolean,
  ): Promise<{ task: Task; given: Assignment }> => {
    const worker = await crew.worker(`w-${crypto.randomUUID()}`, { hostName: HOST.name })
    const task = await crew.create({ task: `do ${word}`, title: `title ${word}`, tags: [word] })
    const given = await worker.take()
    const conversation = {
      rung: 'fresh' as const,
      sessionId: session,
      resumedSessionId: null,
      forked: false,
      forkPoint: null,
      whyNot: [],
    }
    await crew.service.report(worker.caller, given.attemptId, { conversation })
    const asked = { toolUseId: null, toolName: 'Bash', input: { command: word }, description: word }
    const { id } = await crew.service.ask(worker.caller, given.attemptId, {
      ...asked,
      default: 'deny',
      deadlineMs: 60_000,
    })
    await crew.service.answer(OPERATOR, id, { behavior: 'deny', message: word })
    const { uuid } = await crew.service.input(OPERATOR, task.id, { text: word, urgency: 'now' })
    await crew.service.report(worker.caller, given.attemptId, { inputs: [{ uuid, status: 'delivered' }] })
    await crew.service.progress(callerOf(given, worker), task.id, { progress: word })
    const log = [{ at: new Date().toISOString(), kind: 'text' as const, text: word }]
    await crew.service.report(worker.caller, given.attemptId, { log })
    if (isOver) await worker.end(given, 'completed', { output: word, reason: word })
    return { task: await crew.task(task.id), given }
  }
  return { ...database, store, home, engine, crew, messages, hooks, record, work }
}

/** Files below a folder that hold the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => readFileSync(join(folder, name)).includes(text))
}

/** A value of any column as text: JSON would tell bytes as numbers. */
const wordsIn = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)

/** Where the database holds the text: rows as text, and what chunks are when they are unpacked. */
async function placesWith({ place, store }: ContractDatabase, text: string): Promise<string[]> {
  const sql = new SQL(place.url ?? `sqlite://${place.path}`, place.url === undefined ? {} : { max: 1 })
  try {
    const names: { name: string }[] = await sql.unsafe(
      place.url === undefined
        ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'event_text%'`
        : `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const found: string[] = []
    for (const { name } of names) {
      const rows: Record<string, unknown>[] = await sql.unsafe(`select * from ${name}`)
      if (rows.some((row) => Object.values(row).some((value) => wordsIn(value).includes(text)))) found.push(name)
    }
    for await (const { journal } of store.journals.listAll())
      for (const { id } of journal.incarnations) if ((await bytesOf(store, id)).includes(text)) found.push(journal.path)
    return found
  } finally {
    await sql.close()
  }
}

onEachDatabase((database) => {
  test('a forgotten session leaves its words nowhere', async () => {
    const world = openWorld(database)
    const { store, engine, home } = world
    const word = newWord()
    const id = await world.record(crypto.randomUUID(), word)
    const other = await world.record(crypto.randomUUID(), 'nothing')
    writeFileSync(world.hooks.path, Buffer.concat([hookLine(id, word), hookLine(other, 'kept'), hookLine(id, word)]))
    await engine.recordFile(world.hooks)
    // Hooks go on: these lines are in the file alone.
    appendFileSync(world.hooks.path, Buffer.concat([hookLine(id, word), hookLine(other, 'later')]))
    writeFileSync(join(home, 'hooks', 'hooks-2.jsonl'), hookLine(id, word))
    const { task, given } = await world.work(id, word, true)
    await world.messages.send(OPERATOR, { to: id, kind: 'message', text: word } as never, null)
    await world.messages.send(OPERATOR, { to: other, kind: 'message', text: word, sessionId: id } as never, 'key-1')
    const text = { goal: word, state: word, evidence: word, next: word, note: word }
    const handoff = { at: new Date().toISOString(), sessionId: id, folder: '/p', issueId: null, ...text }
    const kept = handoffFiles(home)
    const { id: handoffId } = kept.write(handoff)
    kept.take(handoffId, other)
    const stored = { ...handoff, id: 'h-0000stor', givenTo: null, givenAt: null }
    await world.store.write(async (tx) => await tx.handoffs.add(stored))
    kept.write({
      ...handoff,
      ...Object.fromEntries(Object.keys(text).map((key) => [key, 'stays'])),
      sessionId: other,
    } as never)
    const stream: JournalRef = {
      agent: 'claude-code',
      kind: 'stream',
      path: streamPath(home, given.attemptId),
      sessionId: id,
      subagentId: null,
    }
    withKept(stream.path, (file) =>
      file.write(0, Buffer.from(`{"type":"user","session_id":"${id}","text":"${word}"}\n`)),
    )
    await engine.recordFile(stream)
    mkdirSync(join(home, 'runs', given.attemptId), { recursive: true })
    writeFileSync(join(home, 'runs', given.attemptId, 'recall.txt'), word)
    // What another machine sent of the session's files is kept as copies.
    const copy = copyPath(home, 'elsewhere', transcript(root, id).path)
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, word)
    // The message woke it.
    await world.crew.service.cancel(OPERATOR, task.id, { reason: word })
    // What is looked for below is there before.
    const before = await placesWith(world, word)
    for (const table of ['tasks', 'task_log', 'questions', 'messages', 'conversation_events', 'handoffs'])
      expect(before).toContain(table)
    expect(before).toContain(world.hooks.path)
    expect(filesWith(home, word).length).toBeGreaterThan(5)

    const forgotten = await engine.forget(id)

    expect(forgotten).toEqual({ tasks: [task.id], keptTasks: [], handoffs: 2 })
    expect(await placesWith(world, word)).toEqual([])
    expect(filesWith(home, word)).toEqual([])
    if (world.place.path !== undefined) expect(filesWith(dirname(world.place.path), word.slice(2))).toEqual([])
    // What is others' stays, byte for byte at its place.
    const lines = readFileSync(world.hooks.path, 'utf8').split('\n')
    expect(lines.filter((line) => line.trim() !== '')).toEqual(
      [hookLine(other, 'kept'), hookLine(other, 'later')].map((line) => line.toString().trimEnd()),
    )
    expect(kept.list(10).map(({ goal }) => goal)).toEqual(['stays'])
    expect(await world.crew.task(task.id)).toMatchObject({ status: 'cancelled', title: '(forgotten)', output: null })
    // The journal goes on as the same file.
    await engine.recordFile(world.hooks)
    const journal = (await Array.fromAsync(store.journals.listAll())).find(
      (one) => one.journal.path === world.hooks.path,
    )
    expect(journal?.journal.incarnations.length).toBe(1)
    expect((await store.sessions.find(other))?.id).toBe(other)
    expect(await placesWith(world, word)).toEqual([])
  })

  test('the text of a task that is still to be done, or that another session had too, stays and is named', async () => {
    const world = openWorld(database)
    const word = newWord()
    const id = await world.record(crypto.randomUUID(), 'x')
    const open = await world.work(id, word, false)
    const shared = await world.work(id, word, true)
    await world.crew.service.retry(OPERATOR, shared.task.id, {}).catch(() => {})
    const forgotten = await world.engine.forget(id)
    expect(forgotten?.keptTasks).toContain(open.task.id)
    const kept = await world.crew.task(open.task.id)
    expect([kept.title, kept.task]).toEqual([`title ${word}`, `do ${word}`])
    expect(kept.progress).toBeNull()
    const log = await world.store.tasks.log(open.task.id, 0, 100)
    expect(
      log
        .filter(({ attempt }) => attempt === 1)
        .map(({ text }) => text)
        .join(''),
    ).toBe('')
  })

  test('a hook journal that another program put a link in the place of is not followed', async () => {
    const world = openWorld(database)
    const id = await world.record(crypto.randomUUID(), 'x')
    const victim = join(root, 'victim.jsonl')
    writeFileSync(victim, hookLine(id, 'not ours'))
    symlinkSync(victim, join(world.home, 'hooks', 'hooks-3.jsonl'))
    await expect(world.engine.forget(id)).rejects.toMatchObject({ code: 'ELOOP' })
    expect(readFileSync(victim, 'utf8')).toContain('not ours')
    expect(await world.store.sessions.find(id)).toBeDefined()
  })
})
