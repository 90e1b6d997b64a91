/** The real opencode CLI at work while Lodeline records it: what the record holds is what its database holds. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Opencode, wordsOf } from '../../agents/opencode'
import { type ChatScripts, TITLE, CHAT_USAGE as USAGE } from '../../agents/scripted-chat'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const SCRIPTS: ChatScripts = {
  lighthouse: [
    [
      { text: 'I plan first.' },
      {
        tool: 'todowrite',
        args: {
          todos: [
            { content: 'Look', status: 'in_progress', priority: 'high' },
            { content: 'Paint', status: 'pending', priority: 'low' },
          ],
        },
      },
    ],
    [{ tool: 'bash', args: { command: 'exit 3', description: 'Fails' } }],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  family: [
    [{ tool: 'task', args: { description: 'Look', prompt: 'Go down @@child', subagent_type: 'general' } }],
    [{ text: 'The family is done.' }],
  ],
  child: [[{ text: 'Child done.' }]],
  slow: [
    [{ tool: 'bash', args: { command: 'sleep 300', description: 'Sleeps', timeout: 400_000 } }],
    [{ text: 'Late.' }],
  ],
}

let lab: Lab
let opencode: Opencode
/** One on each database: both record the same CLI at the same time. */
let lodes: Lode[]
let main = ''

beforeAll(async () => {
  lab = new Lab()
  opencode = await Opencode.start(lab.folder('c'), SCRIPTS)
  lab.ending('opencode', () => opencode[Symbol.asyncDispose]())
  lodes = []
  for (const kind of ['sqlite', 'postgres'] as const) {
    const databaseUrl = await lab.addDatabase(kind)
    // The folder is not there yet: the CLI makes it at its first run.
    lodes.push(lab.addLode(kind, { databaseUrl, homes: { opencode: [opencode.folder] }, cwd: opencode.project }))
  }
  await Promise.all(lodes.map((lode) => lode.up()))
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

/** A session as soon as it rests with these words. */
const rested = (lode: Lode, id: string, text: string) =>
  until(`the record of ${id}`, async () => {
    const { sessions } = await lode.client.sessions.list({ text: id })
    const session = sessions.find((one) => one.id === id && one.status === 'idle')
    if (session === undefined) return undefined
    const { stdout } = await lode.lode('session', 'show', id, '-c')
    return stdout.includes(text) ? session : undefined
  })

const each = (check: (lode: Lode) => Promise<unknown>) => Promise.all(lodes.map(check))

/** The rows of a session that the CLI's database has now, by table and id. */
function rowsOf(id: string): Map<string, Record<string, unknown>> {
  using db = new Database(join(opencode.folder, 'opencode.db'), { readonly: true })
  const rows = new Map<string, Record<string, unknown>>()
  for (const table of ['message', 'part'])
    for (const row of db
      .query<Record<string, unknown>, [string]>(`select * from ${table} where session_id = ?`)
      .all(id))
      rows.set(`${table}:${row.id}`, row)
  return rows
}

test('a conversation is recorded while it goes on: once, whole, with its usage and to-dos', async () => {
  main = await opencode.run('Paint the lighthouse @@lighthouse')
  await each(async (lode) => {
    expect(await rested(lode, main, 'The lighthouse is white.')).toMatchObject({
      ...{ agent: 'opencode', title: TITLE, cwd: opencode.project, model: 'scripted-model', agentVersion: '1.18.33' },
      counts: { malformedLines: 0, toolCalls: 2 },
      usage: {
        inputTokens: 3 * (USAGE.input - USAGE.cached),
        cacheReadTokens: 3 * USAGE.cached,
        outputTokens: 3 * USAGE.output,
      },
    })
    const { todos } = await lode.client.todos.list({ sessionId: main })
    expect(todos.map(({ content, status }) => [content, status])).toEqual([
      ['Look', 'in_progress'],
      ['Paint', 'pending'],
    ])
    expect((await lode.lode('search', 'lighthouse')).stdout).toContain(main.slice(0, 8))
    expect((await lode.lode('doctor')).stdout).toMatch(/^agents seen +opencode \d+\.\d+\.\d+$/m)
  })
})

test('the export has each row of the database as it stands there, and is what opencode import takes elsewhere', async () => {
  const rows = rowsOf(main)
  expect(rows.size).toBeGreaterThan(12)
  const documents: string[] = []
  await each(async (lode) => {
    const folder = lab.folder(`out-${lode.databaseUrl === undefined ? 'sqlite' : 'postgres'}`)
    // The last change may be on its way.
    await until('every row', async () => {
      const { exitCode } = await lode.lode('session', 'export', main, '--to', folder, '--force')
      expect(exitCode).toBe(0)
      const text = readFileSync(join(folder, `${main}.jsonl`), 'utf8')
      return [...rows.values()].every(({ data }) => text.includes(`"data":${data}`))
    })
    documents.push(join(folder, `${main}.opencode.json`))
  })
  const home = lab.folder('elsewhere')
  await opencode.call(['import', documents[0] ?? 'none'], home)
  const before = opencode.model.requests.length
  expect(await opencode.run('Here too @@again', { resume: main, home })).toBe(main)
  const sent = JSON.stringify(opencode.model.requests.slice(before))
  for (const word of ['Paint the lighthouse', 'I plan first.', 'The lighthouse is white.', 'Here too'])
    expect(sent).toContain(word)
})

test('a sub-agent stands below the call that launched it, and a fork counts what is its own', async () => {
  const id = await opencode.run('Begin @@family')
  const fork = await opencode.run('Another way @@again', { resume: id, isFork: true })
  await each(async (lode) => {
    await rested(lode, id, 'The family is done.')
    const node = await until('the sub-agent', async () => {
      const { subagents } = await lode.client.subagents.list({ sessionId: id })
      return subagents.length === 1 && subagents[0]?.status === 'completed' ? subagents[0] : undefined
    })
    expect(node).toMatchObject({ depth: 1, parentId: null, resultPreview: 'Child done.', description: 'Look' })
    expect(node.toolUseId).toStartWith('call_')
    expect(await rested(lode, fork, 'Once more.')).toMatchObject({
      forkedFrom: id,
      usage: { outputTokens: USAGE.output },
    })
  })
})

test('a turn that was killed is kept as far as it went, and goes on after a resume', async () => {
  const list = async () => (await lodes[0]?.client.sessions.list({ agent: 'opencode' }))?.sessions ?? []
  const known = new Set((await list()).map(({ id: one }) => one))
  const child = opencode.start(wordsOf('Wait @@slow', {}))
  const id = await until(
    'the call',
    async () => (await list()).find(({ id: one, counts }) => !known.has(one) && counts.toolCalls === 1)?.id,
  )
  killAll(processTree(child.pid))
  await child.exited
  expect(await opencode.run('Again @@again', { resume: id })).toBe(id)
  await each(async (one) => rested(one, id, 'Once more.'))
})

test('a command without a server takes in what the database has', async () => {
  const alone = lab.addLode('alone', { homes: { opencode: [opencode.folder] }, cwd: opencode.project })
  await until('the session', async () => {
    const { stdout } = await alone.lode('session', 'list')
    return stdout.includes(main.slice(0, 8))
  })
})

test('nothing was written into the folder of the CLI, and another look at it adds nothing', async () => {
  expect(
    readdirSync(opencode.folder).filter(
      (name) => !/^(?:opencode\.db(?:-wal|-shm)?|log|repos|snapshot|storage|tool-output|bin)$/.test(name),
    ),
  ).toEqual([])
  await each(async (lode) => {
    const counts = async () =>
      (await lode.client.sessions.list({ agent: 'opencode' })).sessions.map((one) => [one.id, one.counts]).toSorted()
    const before = await counts()
    expect((await lode.lode('import', opencode.folder)).exitCode).toBe(0)
    expect(await counts()).toEqual(before)
  })
})
