/** That a secret which an agent reads or prints is kept in the journal alone, and that no answer shows it to anybody who did not ask. */
import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createClient } from '../../src/api/client'
import { hasBody } from '../../src/api/contract/operation'
import { allOperations, type OperationName } from '../../src/api/contract/operations'
import { createApp } from '../../src/api/server'
import { agentLines } from '../../src/app/agents/agent-lines'
import { isAppError } from '../../src/domain/errors'
import { sessionId } from '../../src/domain/ids'
import { maskOf } from '../../src/domain/secrets/mask'
import { EXAMPLES } from '../access/examples'
import { someObject } from '../access/objects'
import { openWorld, type Side } from '../access/world'
import { KeptLog } from '../api/start-api'
import { bytesOf, prompt, recorderOn, transcript, uuid, write } from '../record/recording'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { SampleSecrets } from './sample-secrets'

const CALL = 'toolu_01secretsAbCdEfGhIjKl'

/** Operations whose answers quote texts. */
const SHOWING = [
  'sessions.conversation',
  'sessions.rows',
  'sessions.event',
  'sessions.content',
  'sessions.events',
  'events.list',
  'todos.list',
  'tasks.get',
  'tasks.list',
  'tasks.log',
  'tasks.prompt',
  'tasks.recall',
  'questions.list',
  'messages.list',
  'messages.at',
  'issues.get',
  'issues.list',
  'issues.export',
  'inbox.get',
  'inbox.list',
  'search',
  'overview',
  'sessions.tree',
  'sessions.list',
  'mcp.send',
] as const

/** More of a token than nobody could use. */
const HALF = /.{0,60}ghp_[A-Za-z0-9]{5,}.{0,20}/g

/** A secret of its own, in each of the places where agents put them. */
class Planted {
  readonly all: string[] = []
  readonly samples = new SampleSecrets(Math.floor(Math.random() * 2 ** 31))

  one(): string {
    const secret = this.samples.of(this.all.length % 2 === 0 ? 'github-token' : 'anthropic-key')
    this.all.push(secret)
    return secret
  }
}

/** A transcript that has a secret in every kind of text, some of them where a preview is cut. */
function linesOf(session: string, planted: Planted): { text: string; ids: string[] } {
  const ids = [uuid(), uuid(), uuid(), uuid(), uuid()]
  const [first, second, third, fourth, fifth] = ids as [string, string, string, string, string]
  const line = (
    id: string,
    parent: string,
    at: number,
    role: 'user' | 'assistant',
    content: unknown,
    more: object = {},
  ) =>
    `${JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      sessionId: session,
      version: '2.1.328',
      cwd: '/home/user/project',
      type: role,
      message: { id: `msg_${id}`, type: 'message', role, model: 'claude-x', content },
      uuid: id,
      timestamp: new Date(1_800_000_000_000 + at).toISOString(),
      ...more,
    })}\n`
  const long = 'word '.repeat(398)
  const text = [
    prompt(session, `deploy with ${planted.one()}\nplease`, first, 1_800_000_000_000),
    line(second, first, 1, 'assistant', [
      { type: 'text', text: `${long}${planted.one()} and more` },
      {
        type: 'tool_use',
        id: CALL,
        name: 'Bash',
        input: { command: `${'x '.repeat(197)}RUNNER=${planted.one()} run` },
      },
    ]),
    line(
      third,
      second,
      2,
      'user',
      [{ type: 'tool_result', tool_use_id: CALL, content: `${'y '.repeat(195)}\n${planted.one()}\nend` }],
      { toolUseResult: { stdout: planted.one(), stderr: '' } },
    ),
    line(fourth, third, 3, 'assistant', [
      {
        type: 'tool_use',
        id: `${CALL}2`,
        name: 'TodoWrite',
        input: {
          todos: [{ content: `use ${planted.one()}`, status: 'pending', activeForm: `using ${planted.one()}` }],
        },
      },
    ]),
    line(fifth, fourth, 4, 'assistant', [
      { type: 'thinking', thinking: `so ${planted.one()}` },
      { type: 'text', text: 'done' },
    ]),
  ].join('')
  return { text, ids }
}

/** Tables that hold the text in a row. Journals are packed, so they are not among them. */
async function tablesWith({ place }: ContractDatabase, text: string): Promise<string[]> {
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
      if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(name)
    }
    return found
  } finally {
    await sql.close()
  }
}

onEachDatabase((database) => {
  /** A recorded conversation, in blocks of a size that cuts secrets. */
  async function record(root: string, session: string, blockBytes?: number) {
    const planted = new Planted()
    const { text, ids } = linesOf(session, planted)
    const ref = transcript(root, session)
    write(ref, text)
    await recorderOn(database.store, blockBytes).recordFile(ref)
    return { planted, text, ids, ref }
  }

  test('a secret is in the journal alone: byte for byte there, and a mask in all that derives from it', async () => {
    const { store } = database
    await using world = openWorld(store)
    for (const blockBytes of [undefined, 300]) {
      const session = crypto.randomUUID()
      const { planted, text } = await record(world.root, session, blockBytes)
      const [journal] = await store.journals.listBySession(sessionId(session))
      expect((await bytesOf(store, journal?.incarnations[0]?.id ?? 0)).toString()).toBe(text)
      for (const secret of planted.all) {
        expect(await tablesWith(database, secret)).toEqual([])
        // Nor the half of one that a preview's end has left.
        expect(await tablesWith(database, secret.slice(0, 24))).toEqual([])
      }
      const { rows } = await store.events.list({ sessionId: sessionId(session) }, { limit: 100 })
      const shown = JSON.stringify(rows)
      expect(shown).toContain(maskOf('github-token'))
      expect(shown).toContain(maskOf('anthropic-key'))
      const [todo] = await store.todos.list({ sessionId: sessionId(session) })
      expect(todo?.content).toBe(`use ${maskOf('anthropic-key')}`)
    }
  })

  test('each secret is marked where it stands: its rule, its event and its bytes, and never its text', async () => {
    const { store } = database
    await using world = openWorld(store)
    const session = crypto.randomUUID()
    const { planted, text, ids } = await record(world.root, session, 300)
    const { rows } = await store.secrets.list({ sessionId: sessionId(session) }, { limit: 100 })
    expect(rows.length).toBe(planted.all.length)
    for (const { preview, rule, count, erasedAt, eventId } of rows) {
      expect([rule === 'github-token' ? 'ghp_' : 'sk-a', 1, null]).toEqual([preview, count, erasedAt])
      expect(ids).toContain(eventId as string)
    }
    // Places of events are those of the bytes, whatever was masked before them.
    for (const id of ids) {
      const place = await store.events.locate(sessionId(session), id as never)
      const line = Buffer.from(text).toString('utf8', place?.offset ?? 0, (place?.offset ?? 0) + (place?.length ?? 0))
      expect(JSON.parse(line).uuid).toBe(id)
    }
  })

  test('a forgotten session leaves no mark of its secrets', async () => {
    const { store } = database
    await using world = openWorld(store)
    const session = crypto.randomUUID()
    const { planted } = await record(world.root, session)
    const stored = await store.sessions.find(sessionId(session))
    const { rows } = await store.secrets.list({ sessionId: sessionId(session) }, { limit: 100 })
    expect(rows.length).toBe(planted.all.length)
    await store.write((tx) => tx.sessions.forget(stored?.key as never))
    for (const { id } of rows) expect((await store.secrets.list({ id }, { limit: 1 })).rows).toEqual([])
    for (const { id } of rows) expect(await tablesWith(database, id)).toEqual([])
  })

  test('no answer of the API holds a secret, to any caller, but for those that are declared to', async () => {
    const { store } = database
    await using world = openWorld(store)
    Object.assign(world.services, { agentLines })
    const planted = new Planted()
    // Wherever a text is cut, it is cut within one of these.
    const dense = Array.from({ length: 250 }, () => ` ${planted.samples.of('github-token')}`).join('')
    const side = await world.side(planted.one() + dense.slice(0, 4 * ' ghp_'.length + 4 * 36), dense)
    const said = await record(world.root, side.session)
    planted.all.push(...said.planted.all)
    const wrong: string[] = []
    const seen = new Set<string>()
    // What is only read comes first: the others change what it shows.
    for (const operation of allOperations.toSorted((a, b) => Number(hasBody(a.method)) - Number(hasBody(b.method)))) {
      if (operation.access === 'public' || operation.answer === 'events' || operation.answer === 'refused') continue
      // What changes something is asked where it changes nothing that matters here: its answer shows what it changed.
      if (hasBody(operation.method) && /forget|finish|cancel|release|rotate|revoke|rebuild|import/.test(operation.name))
        continue
      if (operation.method === 'DELETE') continue
      for (const kind of ['operator', 'viewer', 'lead', 'worker', 'attempt'] as const) {
        if (operation.access[kind] === undefined) continue
        for (const fields of requestsOf(
          operation.name as OperationName,
          side,
          someObject(operation.access.of, side),
          said.ids,
        )) {
          const text = await ask(world.callerOf(kind, side), operation, fields)
          const isKept = operation.secrets === 'kept' || (operation.secrets === 'for workers' && kind === 'worker')
          const isBytes =
            (operation.answer === 'tar' || operation.answer === 'bytes') && (kind === 'operator' || kind === 'worker')
          if (/\[secret: (github-token|anthropic-key)\]/.test(text)) seen.add(operation.name)
          if (isKept || isBytes) continue
          for (const secret of planted.all)
            if (text.includes(secret.slice(0, 24))) wrong.push(`${operation.name} by ${kind}: ${text.slice(0, 300)}`)
          for (const half of new Set(text.match(HALF))) wrong.push(`${operation.name} by ${kind}: half of one: ${half}`)
        }
      }
    }
    expect(wrong).toEqual([])
    // The answers that matter most did show a mask.
    expect(SHOWING.filter((name) => !seen.has(name))).toEqual([])
  })

  test('streams show masks', async () => {
    const { store } = database
    await using world = openWorld(store)
    const planted = new Planted()
    const side = await world.side(planted.one())
    const stream = { accept: 'text/event-stream' }
    for (const [name, id] of [
      ['tasks.log', side.task],
      ['messages.at', side.task],
    ] as const) {
      const operation = allOperations.find((one) => one.name === name)
      const response = await world
        .callerOf('viewer', side)
        .open(operation as never, { id } as never, { headers: stream })
      let text = ''
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      while (!text.includes('data:')) text += new TextDecoder().decode((await reader.read()).value)
      await reader.cancel()
      expect(text).toContain(maskOf('github-token'))
      expect(text).not.toContain(planted.all[0])
    }
  })

  test('a search for a secret finds nothing, whole or in part, and a search around it shows the mask', async () => {
    const { store } = database
    await using world = openWorld(store)
    const session = crypto.randomUUID()
    const { planted } = await record(world.root, session)
    const app = createApp({
      store,
      services: world.services,
      version: '1',
      runtime: 'test',
      log: new KeptLog(),
      access: { kind: 'in_process' },
    })
    const client = createClient((request) => app.fetch(request))
    for (const secret of planted.all)
      for (const q of [
        secret,
        `"${secret}"`,
        secret.slice(0, 20),
        `${secret.slice(0, 12)}*`,
        secret.split(/[-_]/)[1] ?? '',
      ]) {
        if (q.length < 4) continue
        const { hits } = await client.search({ q, sessionId: session })
        // A secret as a whole is asked for as its mask: the answer is the same for one that nobody has.
        const other = await client.search({
          q: q.replace(secret, new SampleSecrets(1).of('github-token')),
          sessionId: session,
        })
        if (q.includes(secret) && secret.startsWith('ghp')) expect(hits.length).toBe(other.hits.length)
        else if (!q.includes(secret)) expect([q, hits.length]).toEqual([q, 0])
        expect(JSON.stringify(hits)).not.toContain(secret)
      }
    const { hits } = await client.search({ q: 'deploy', sessionId: session })
    expect(hits[0]?.snippet).toContain(maskOf('github-token'))
    const inCall = await client.search({ q: 'RUNNER', sessionId: session })
    expect(inCall.hits[0]?.snippet).toEndWith(`=${maskOf('github-token')} run`)
  })

  test('an operator may look at one event with its secrets; nobody else may, and the audit log says who did', async () => {
    const { store } = database
    await using world = openWorld(store)
    Object.assign(world.services, { agentLines })
    const side = await world.side()
    const { planted, ids } = await record(world.root, side.session)
    for (const name of ['sessions.event', 'sessions.content']) {
      const operation = allOperations.find((one) => one.name === name) as (typeof allOperations)[number]
      const fields = { id: side.session, eventId: ids[0], reveal: true }
      expect(await ask(world.callerOf('operator', side), operation, fields)).toContain(planted.all[0] as string)
      const act = world.services.acts.pop()
      expect(act).toMatchObject({ act: 'secret.reveal', actor: { kind: 'operator' }, target: ids[0] ?? '' })
      expect(JSON.stringify(act)).not.toContain(planted.all[0])
      for (const kind of ['viewer', 'lead'] as const)
        expect(await ask(world.callerOf(kind, side), operation, fields)).toContain(
          'Only an operator may look at secrets.',
        )
      expect(world.services.acts).toEqual([])
    }
  })

  test('an export is exact for an operator, and of the same length without secrets where that is asked or for others', async () => {
    const { store } = database
    await using world = openWorld(store)
    const side = await world.side()
    const session = crypto.randomUUID()
    const { planted, text } = await record(world.root, session, 300)
    const operation = allOperations.find((one) => one.name === 'sessions.export') as (typeof allOperations)[number]
    const exact = await ask(world.callerOf('operator', side), operation, { id: session })
    expect(exact).toContain(text)
    for (const [kind, more] of [
      ['viewer', {}],
      ['lead', {}],
      ['operator', { masked: true }],
    ] as const) {
      const masked = await ask(world.callerOf(kind, side), operation, { id: session, ...more })
      expect(masked.length).toBe(exact.length)
      for (const secret of planted.all) expect(masked).not.toContain(secret)
      const start = exact.indexOf(text)
      for (const line of masked
        .slice(start, start + text.length)
        .trimEnd()
        .split('\n'))
        JSON.parse(line)
    }
  })
})

/** What a request of an operation names; for events each of them. */
function requestsOf(name: OperationName, side: Side, id: string, events: readonly string[]): object[] {
  const { fields, bytes } = EXAMPLES[name](side, id)
  if (name === 'sessions.event' || name === 'sessions.content')
    return events.map((eventId) => ({ id: side.session, eventId }))
  if (name === 'toolUses.get') return [{ id: CALL, sessionId: side.session }]
  if (name === 'sessions.conversation')
    return [
      { ...fields, full: true },
      { ...fields, flat: true },
    ]
  if (name === 'search') return [{ q: 'deploy' }, { q: 'end' }, { q: 'RUNNER' }]
  if (name === 'tasks.recall') return [{ ...fields, moment: 'compact' }]
  if (name === 'mcp.send') {
    const call = { name: 'list-tasks', arguments: {} }
    return [{ bytes: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }) }]
  }
  return [bytes === undefined ? fields : { ...fields, bytes }]
}

type Caller = ReturnType<ReturnType<typeof openWorld>['callerOf']>

async function ask(caller: Caller, operation: (typeof allOperations)[number], asked: object): Promise<string> {
  const { bytes, ...fields } = asked as { bytes?: string }
  try {
    const response = await caller.open(operation, fields as never, {
      ...(bytes !== undefined && { bytes: new TextEncoder().encode(bytes) }),
      ...(operation.takes === 'handler' && {
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      }),
    })
    return await response.text()
  } catch (error) {
    if (!isAppError(error)) throw error
    return JSON.stringify([error.message, error.hint ?? '', error.details ?? {}])
  }
}
