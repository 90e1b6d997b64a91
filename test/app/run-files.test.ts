/** What runs leave at the server: their output, kept and recorded once, and the conversations that children continue. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createRunFiles } from '../../src/app/files/run-files'
import { type AttemptId, attemptId, eventId, sessionId } from '../../src/domain/ids'
import { claudeCode } from '../../src/harness/claude-code'
import { cutAtLastTurn } from '../../src/harness/claude-code/run/cut'
import { RemoteWorld } from '../collector/remote-world'
import { prompt, uuid } from '../record/recording'
import { failureOf, onEachDatabase } from '../store-contract/databases'

const FIXTURES = resolve(import.meta.dir, '../fixtures/claude-code')

onEachDatabase((database) => {
  let world: RemoteWorld
  let attempt: AttemptId
  let session: string
  beforeEach(() => {
    world = new RemoteWorld(database.store)
    attempt = attemptId(`t-${Math.random().toString(36).slice(2, 12).padEnd(8, '0')}.1`)
    session = crypto.randomUUID()
  })
  afterEach(() => world.remove())

  const streamFile = () => join(world.home, 'streams', `${attempt}.jsonl`)
  const outputLine = (i: number): string =>
    `${JSON.stringify({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: `line ${i} ü` }] },
      parent_tool_use_id: null,
      session_id: session,
      uuid: crypto.randomUUID(),
    })}\n`
  const output = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, i) => outputLine(i)).join(''))
  const events = async () => (await world.store.events.list({ sessionId: sessionId(session) }, { limit: 1_000 })).rows
  async function recorded(): Promise<string[]> {
    const found: string[] = []
    for (const { kind, incarnations } of await world.store.journals.listBySession(sessionId(session)))
      for (const { id } of kind === 'stream' ? incarnations : []) {
        const parts: Uint8Array[] = []
        for await (const part of world.store.journals.read(id)) parts.push(part)
        found.push(Buffer.concat(parts).toString('utf8'))
      }
    return found
  }

  test('output in pieces that end anywhere, some sent twice, is kept and recorded once', async () => {
    const bytes = output(40)
    let at = 0
    for (let i = 0; at < bytes.length; i++) {
      const size = 100 + ((i * 379) % 700)
      const piece = bytes.subarray(at, at + size)
      const { offset } = await world.files.appendStream(attempt, at, piece, sessionId(session))
      expect(offset).toBe(at + piece.length)
      // The answer was lost, or the worker only knows of less.
      const back = Math.max(0, at - 50 * (i % 3))
      expect(await world.files.appendStream(attempt, back, bytes.subarray(back, offset), sessionId(session))).toEqual({
        offset,
      })
      if (i % 5 === 4) world.restartServer()
      at = offset
    }
    expect(readFileSync(streamFile()).equals(bytes)).toBe(true)
    expect(await recorded()).toEqual([bytes.toString('utf8')])
    expect((await events()).length).toBe(40)
    expect(statSync(streamFile()).mode & 0o077).toBe(0)
  })

  test('a gap is refused with the place where it begins, and nothing is written', async () => {
    const bytes = output(3)
    expect(await failureOf(world.files.appendStream(attempt, 10, bytes, sessionId(session)))).toMatchObject({
      code: 'conflict',
      details: { offset: 0 },
    })
    await world.files.appendStream(attempt, 0, bytes.subarray(0, 100), sessionId(session))
    expect(
      await failureOf(world.files.appendStream(attempt, 101, bytes.subarray(101), sessionId(session))),
    ).toMatchObject({
      code: 'conflict',
      details: { offset: 100 },
    })
    expect(readFileSync(streamFile()).equals(bytes.subarray(0, 100))).toBe(true)
  })

  test('pieces that come at once are put in their order or refused, never mixed', async () => {
    const bytes = output(60)
    const size = 500
    const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => i * size).reverse()
    while (starts.length > 0) {
      const tried = await Promise.allSettled(
        starts.map((at) => world.files.appendStream(attempt, at, bytes.subarray(at, at + size), sessionId(session))),
      )
      for (const [i, result] of tried.entries())
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' })
        else starts[i] = -1
      starts.splice(0, starts.length, ...starts.filter((at) => at >= 0))
    }
    expect(readFileSync(streamFile()).equals(bytes)).toBe(true)
    expect(await recorded()).toEqual([bytes.toString('utf8')])
  })

  test('output that comes before any other word of its session is that of the agent CLI of its attempt', async () => {
    const line = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}\n')
    await world.files.appendStream(attempt, 0, line, sessionId(session), 'copilot')
    expect((await world.store.sessions.find(sessionId(session)))?.agent).toBe('copilot')
  })

  test("bytes that the disk lost are replaced by the worker's, and both lives are in the record", async () => {
    const bytes = output(4)
    await world.files.appendStream(attempt, 0, bytes, sessionId(session))
    const damaged = Buffer.from(bytes)
    damaged.fill(0, bytes.length - 60)
    writeFileSync(streamFile(), damaged)
    const at = bytes.length - 200
    expect(await world.files.appendStream(attempt, at, bytes.subarray(at), sessionId(session))).toEqual({
      offset: bytes.length,
    })
    expect(readFileSync(streamFile()).equals(bytes)).toBe(true)
    expect((await recorded())[0]).toBe(bytes.toString('utf8'))
    expect((await events()).length).toBe(4)
  })

  test('lines that name another session are kept, and are no word of that one; before the conversation is known none is', async () => {
    const victim = crypto.randomUUID()
    const forged = Buffer.from(outputLine(1).replace(session, victim))
    const bytes = Buffer.concat([output(2), forged])
    expect(await world.files.appendStream(attempt, 0, bytes, null)).toEqual({ offset: bytes.length })
    expect(await events()).toEqual([])
    const more = output(1)
    await world.files.appendStream(attempt, bytes.length, more, sessionId(session))
    expect((await events()).length).toBe(3)
    expect(await world.store.sessions.find(sessionId(victim))).toBeUndefined()
    expect(await recorded()).toEqual([Buffer.concat([bytes, more]).toString('utf8')])
  })

  test('an attempt whose id is no id touches no file', async () => {
    for (const id of [
      '../../x.1',
      't-aaaaaaaa',
      't-aaaaaaaa.0',
      't-aaaaaaaa.1/../../x',
      '',
      't-aaaaaaaa.1\0',
      'T-AAAAAAAA.1',
    ])
      expect(await failureOf(world.files.appendStream(attemptId(id), 0, output(1), sessionId(session)))).toMatchObject({
        code: 'invalid',
      })
    expect(existsSync(join(world.home, 'streams'))).toBe(false)
  })

  test('a link in the place of the kept output is not followed', async () => {
    mkdirSync(dirname(streamFile()), { recursive: true })
    const victim = join(world.base, 'victim')
    writeFileSync(victim, 'kept')
    symlinkSync(victim, streamFile())
    await failureOf(world.files.appendStream(attempt, 0, output(1), sessionId(session)))
    expect(readFileSync(victim, 'utf8')).toBe('kept')
  })

  test('output of a forgotten session is taken and dropped', async () => {
    const bytes = output(5)
    await world.files.appendStream(attempt, 0, bytes, sessionId(session))
    expect(await world.engine.forget(sessionId(session))).not.toBeNull()
    expect(existsSync(streamFile())).toBe(false)
    let at = bytes.length
    // The server has nothing any more, so it asks for the beginning once; then everything passes.
    const failure = await failureOf(world.files.appendStream(attempt, at, output(1), sessionId(session)))
    expect(failure).toMatchObject({ code: 'conflict', details: { offset: 0 } })
    for (at = 0; at < bytes.length; at += 300) {
      const piece = bytes.subarray(at, at + 300)
      expect(await world.files.appendStream(attempt, at, piece, sessionId(session))).toEqual({
        offset: at + piece.length,
      })
    }
    expect(existsSync(streamFile())).toBe(false)
    expect(readdirSync(dirname(streamFile()))).toEqual([])
    expect(await events()).toEqual([])
  })

  /** Records a fixture's transcript under this test's session. */
  async function record(name: string, place = world.root): Promise<Buffer> {
    const folder = join(FIXTURES, 'transcripts/2.1.328', name)
    const file = readdirSync(folder).find((entry) => entry.endsWith('.jsonl')) ?? ''
    const own = readFileSync(join(folder, file), 'utf8').replaceAll(file.replace('.jsonl', ''), session)
    const path = join(place, 'projects', '-p', `${session}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, own)
    const ref = claudeCode.classify(path)
    if (ref === null) throw new Error(`${path} is no transcript`)
    await world.engine.recordFile(ref)
    return Buffer.from(own)
  }

  test('a snapshot is the conversation cut at its last finished turn, also when its file is gone', async () => {
    const own = await record('subagents')
    const cut = cutAtLastTurn(own)
    expect(cut).not.toBe(null)
    rmSync(world.root, { recursive: true })
    const snapshot = await world.files.snapshot(sessionId(session))
    expect(snapshot?.lastUuid).toBe(cut?.lastUuid ?? '')
    expect(Buffer.from(snapshot?.bytes ?? []).equals(cut?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  test('a snapshot ends with the last turn that was finished up to a line of the conversation', async () => {
    const [first, second, answer] = [uuid(), uuid(), uuid()]
    const said = (id: string, parent: string, text: string, at: number) =>
      `${JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        sessionId: session,
        type: 'assistant',
        message: { id: `m-${id}`, role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text }] },
        uuid: id,
        timestamp: new Date(at).toISOString(),
      })}\n`
    const at = Date.parse('2026-11-20T10:00:00Z')
    const begin = prompt(session, 'one', first, at) + said(answer, first, 'done', at + 1_000)
    const path = world.transcript(session)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, begin + prompt(session, 'two', second, at + 2_000) + said(uuid(), second, 'done', at + 3_000))
    const ref = claudeCode.classify(path)
    if (ref === null) throw new Error('no transcript')
    await world.engine.recordFile(ref)
    const upTo = async (id: string) => await world.files.snapshot(sessionId(session), eventId(id))
    expect(Buffer.from((await upTo(answer))?.bytes ?? []).toString()).toBe(begin)
    // The turn that this line begins is not finished there.
    expect((await upTo(second))?.lastUuid).toBe(answer)
    expect(await upTo(first)).toBe(null)
    expect(await failureOf(upTo(uuid()))).toMatchObject({ code: 'not_found', hint: expect.any(String) })
  })

  test('within its first turn a snapshot up to a line ends with the last call that has its answer', async () => {
    const [asked, first, answer, second] = [uuid(), uuid(), uuid(), uuid()]
    const line = (id: string, parent: string, type: string, content: unknown[]) =>
      `${JSON.stringify({
        ...{ parentUuid: parent, isSidechain: false, sessionId: session, type, uuid: id },
        message: { id: `m-${id}`, role: type, content },
        timestamp: new Date(Date.parse('2026-11-20T10:00:00Z')).toISOString(),
      })}\n`
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } })
    const kept =
      prompt(session, 'one', asked, Date.parse('2026-11-20T10:00:00Z')) +
      line(first, asked, 'assistant', [call('toolu_1')]) +
      line(answer, first, 'user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a' }])
    const path = world.transcript(session)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, kept + line(second, answer, 'assistant', [call('toolu_2')]))
    const ref = claudeCode.classify(path)
    if (ref === null) throw new Error('no transcript')
    await world.engine.recordFile(ref)
    const upTo = async (id: string) => await world.files.snapshot(sessionId(session), eventId(id))
    const cut = await upTo(second)
    expect([Buffer.from(cut?.bytes ?? []).toString(), cut?.lastUuid]).toEqual([kept, answer])
    // A call without its answer is none that a copy could go on from, and nobody asked for a part of a turn.
    expect([await upTo(first), await world.files.snapshot(sessionId(session))]).toEqual([null, null])
  })

  test('of a conversation that went on in another place the younger file counts', async () => {
    const own = await record('subagents')
    const [asked, at] = [uuid(), Date.parse('2100-01-01')]
    const answer = {
      parentUuid: asked,
      isSidechain: false,
      sessionId: session,
      type: 'assistant',
      message: { id: 'm', role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'done' }] },
      uuid: uuid(),
      timestamp: new Date(at + 1_000).toISOString(),
    }
    const longer = `${own.toString('utf8')}${prompt(session, 'and then', asked, at)}${JSON.stringify(answer)}\n`
    const second = world.transcript(session).replace('there', 'elsewhere')
    mkdirSync(dirname(second), { recursive: true })
    writeFileSync(second, longer)
    const ref = claudeCode.classify(second)
    if (ref === null) throw new Error('no transcript')
    await world.engine.recordFile(ref)
    const whole = createRunFiles({
      home: world.home,
      host: { name: 'x', hostname: 'x' },
      store: world.store,
      engine: async () => world.engine,
      roots: ['/a', '/b'],
    })
    // The first place was looked at last: that says nothing.
    await record('subagents')
    const snapshot = await whole.snapshot(sessionId(session))
    expect(snapshot?.lastUuid).toBe(answer.uuid)
    expect(snapshot).toEqual(cutAtLastTurn(Buffer.from(longer)))
    expect(whole.followedRoots()).toEqual({ hostName: 'x', roots: ['/a', '/b'] })
  })

  test('there is no snapshot of what is not recorded or has no finished turn, and a limit to its size', async () => {
    expect(await world.files.snapshot(sessionId(session))).toBe(null)
    const path = world.transcript(session)
    writeFileSync(path, prompt(session, 'only a question'))
    const ref = claudeCode.classify(path)
    if (ref === null) throw new Error('no transcript')
    await world.engine.recordFile(ref)
    expect(await world.files.snapshot(sessionId(session))).toBe(null)
    writeFileSync(path, prompt(session, 'x'.repeat(65 * 1024 * 1024), uuid()))
    await world.engine.recordFile(ref)
    expect(await failureOf(world.files.snapshot(sessionId(session)))).toMatchObject({
      code: 'too_large',
      hint: expect.any(String),
    })
  })
})
