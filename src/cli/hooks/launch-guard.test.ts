import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackgroundRows } from '../../../test/recovery/background-rows'
import { openStore } from '../../store/open'
import { hookAnswer } from './hook-answer'
import { noteOrigin } from './launch-guard'

let home: string
let rows: BackgroundRows
let session: string
const PROMPT = 'Find every caller of the harbour module\nand list them'

beforeAll(async () => {
  home = mkdtempSync('/tmp/ld-')
  const place = { path: join(home, 'lodeline.db') }
  await (await openStore({ ...place, mode: 'read-write', migrate: true })).close()
  rows = new BackgroundRows(place)
})
afterAll(async () => {
  await rows.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(async () => {
  session = crypto.randomUUID()
  await rows.session({ id: session })
})
afterEach(() => rmSync(join(home, 'config.yaml'), { force: true }))

const payload = (more: object = {}, input: object = {}) => ({
  hook_event_name: 'PreToolUse',
  tool_name: 'Agent',
  tool_use_id: `toolu_${crypto.randomUUID()}`,
  session_id: session,
  cwd: home,
  tool_input: { description: 'Find callers', prompt: PROMPT, subagent_type: 'Explore', ...input },
  ...more,
})
const ask = async (what: object, env: Record<string, string> = {}, folder = home) => {
  const text = await hookAnswer({ payload: Buffer.from(JSON.stringify(what)), env, home: folder, elapsedMs: 0 })
  return text === '' ? null : JSON.parse(text).hookSpecificOutput
}

describe('the guard of launches', () => {
  test('refuses a launch that repeats a running one, once, and says where that is', async () => {
    await rows.run({ session, agent: 'a111', prompt: PROMPT, outputFile: '/tmp/tasks/a111.output' })
    const refused = await ask(payload())
    expect(refused).toMatchObject({ hookEventName: 'PreToolUse', permissionDecision: 'deny' })
    expect(refused.permissionDecisionReason).toContain('sub-agent a111')
    expect(refused.permissionDecisionReason).toContain('/tmp/tasks/a111.output')
    expect(refused.permissionDecisionReason).toContain('lode subagent output a111')
    expect(await ask(payload())).toBeNull()
  })

  test('reads a prompt with blanks around it as the same, and another type as another', async () => {
    await rows.run({ session, agent: 'a1', prompt: PROMPT })
    expect(await ask(payload({}, { subagent_type: 'Plan' }))).toBeNull()
    expect(await ask(payload({ tool_name: 'Task' }, { prompt: `  ${PROMPT}\n` }))).toMatchObject({
      permissionDecision: 'deny',
    })
  })

  test('a call without a type is one of the general purpose', async () => {
    await rows.run({ session, agent: 'a1', type: 'general-purpose', prompt: PROMPT })
    expect(await ask(payload({}, { subagent_type: undefined }))).toMatchObject({ permissionDecision: 'deny' })
  })

  test('refuses what finished unread, says what failed and what was lost, and lets all else through', async () => {
    const at = Date.now() - 1_000
    const states = [
      [{ status: 'completed' as const, endedAt: at }, 'has finished, and you have not read its result'],
      [{ status: 'failed' as const, endedAt: at, isBackground: false }, 'has failed'],
      [{ startedAt: Date.parse('2020-01-01') }, 'was lost with its process'],
      [{ status: 'killed' as const, endedAt: at }, null],
      [{ status: 'completed' as const, endedAt: at, readAt: at }, null],
      // It holds its parent up: both were asked for at once.
      [{ isBackground: false }, null],
      [{ isBackground: null }, null],
    ] as const
    for (const [index, [row, word]] of states.entries()) {
      const prompt = `Question number ${'x'.repeat(index)}`
      await rows.run({ session, agent: `a${index}`, prompt, ...row })
      const said = await ask(payload({}, { prompt }))
      if (word === null) expect([index, said?.permissionDecision]).toEqual([index, undefined])
      else expect(said?.permissionDecisionReason).toContain(word)
    }
  })

  test('tells of much the same work without refusing, beside the tool call', async () => {
    await rows.run({ session, agent: 'a5', prompt: 'Find every caller of the harbour module and list them by file' })
    const said = await ask(payload())
    expect(said.permissionDecision).toBeUndefined()
    expect(said.additionalContext).toContain('Similar work')
    expect(said.additionalContext).toContain('a5')
    expect(await ask(payload())).toBeNull()
  })

  test('knows what the conversation was forked from, and what was cleared in the same process', async () => {
    const parent = crypto.randomUUID()
    const cleared = crypto.randomUUID()
    const fork = crypto.randomUUID()
    await rows.session({ id: parent })
    await rows.session({ id: fork, forkedFrom: parent })
    await rows.session({ id: cleared })
    await rows.run({ session: parent, agent: 'ap', prompt: 'one', status: 'completed', endedAt: 1 })
    await rows.run({ session: cleared, agent: 'ac', prompt: 'two', status: 'completed', endedAt: 1 })
    expect(await ask(payload({ session_id: fork }, { prompt: 'one' }))).toMatchObject({ permissionDecision: 'deny' })
    expect(await ask(payload({}, { prompt: 'one' }))).toBeNull()
    expect(await ask(payload({}, { prompt: 'two' }))).toBeNull()
    noteOrigin(home, session, cleared)
    expect(await ask(payload({}, { prompt: 'two' }))).toMatchObject({ permissionDecision: 'deny' })
  })

  test('one of several hooks of one call answers', async () => {
    await rows.run({ session, agent: 'a1', prompt: PROMPT })
    const what = payload()
    const said = await Promise.all([ask(what), ask(what), ask(what)])
    expect(said.filter((one) => one !== null)).toHaveLength(1)
  })

  test('does as it is set: off, or told only', async () => {
    await rows.run({ session, agent: 'a1', prompt: PROMPT })
    writeFileSync(join(home, 'config.yaml'), 'guard:\n  launches: off\n')
    expect(await ask(payload())).toBeNull()
    writeFileSync(join(home, 'config.yaml'), 'guard.launches: warn\n')
    const said = await ask(payload())
    expect(said.permissionDecision).toBeUndefined()
    expect(said.additionalContext).toContain('The same type and prompt')
    // A value that means nothing leaves it as it is by default.
    writeFileSync(join(home, 'config.yaml'), 'guard.launches: maybe\n')
    await rows.run({ session, agent: 'a2', prompt: 'another' })
    expect(await ask(payload({}, { prompt: 'another' }))).toMatchObject({ permissionDecision: 'deny' })
  })

  test('is not turned off by a repository', async () => {
    await rows.run({ session, agent: 'a1', prompt: PROMPT })
    mkdirSync(join(home, 'cloned/.lodeline'), { recursive: true })
    writeFileSync(join(home, 'cloned/.lodeline/config.yaml'), 'guard.launches: off\n')
    expect(await ask(payload({ cwd: join(home, 'cloned') }))).toMatchObject({ permissionDecision: 'deny' })
  })

  test('says nothing of other calls, nor where it can not know', async () => {
    await rows.run({ session, agent: 'a1', prompt: PROMPT })
    expect(await ask(payload({ tool_name: 'TodoWrite' }))).toBeNull()
    expect(await ask(payload({ hook_event_name: 'PostToolUse' }))).toBeNull()
    expect(await ask(payload({}, { prompt: 7 }))).toBeNull()
    expect(await ask(payload({ session_id: '../../x' }))).toBeNull()
    expect(await ask(payload({ tool_input: null }))).toBeNull()
    expect(await ask(payload(), {}, '/tmp/ld-there-is-no-such-folder')).toBeNull()
    const broken = mkdtempSync('/tmp/ld-')
    writeFileSync(join(broken, 'lodeline.db'), 'no database')
    expect(await ask(payload(), {}, broken)).toBeNull()
    rmSync(broken, { recursive: true })
  })

  test('a hostile description and id can say nothing of their own', async () => {
    const agent = 'x"; rm -rf / #\u001b[2J'
    await rows.run({ session, agent, prompt: PROMPT })
    const { permissionDecisionReason: reason } = await ask(payload())
    expect(reason).not.toContain('\u001b')
    expect(reason).toContain('\\u{1b}')
  })

  test('inside a run the server is asked with the token of the run, and what it does not say stops nothing', async () => {
    const asked: { path: string; auth: string | null; body: unknown }[] = []
    let status = 200
    const match = { agentId: 'ar', sessionId: session, description: null, outputFile: null, startedAt: null }
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        asked.push({ path: pathname, auth: request.headers.get('authorization'), body: await request.json() })
        return Response.json({ match: { ...match, state: 'running', likeness: 'same' } }, { status })
      },
    })
    try {
      const run = join(home, 'run')
      mkdirSync(run, { recursive: true })
      const env = {
        LODELINE_URL: server.url.href,
        LODELINE_TOKEN: 'lat_x',
        LODELINE_TASK_ID: 't-1',
        LODELINE_RUN_DIR: run,
      }
      expect(await ask(payload(), env)).toMatchObject({ permissionDecision: 'deny' })
      expect(asked).toMatchObject([
        {
          path: `/api/sessions/${session}/launch-check`,
          auth: 'Bearer lat_x',
          body: { type: 'Explore', prompt: PROMPT },
        },
      ])
      status = 500
      session = crypto.randomUUID()
      expect(await ask(payload(), env)).toBeNull()
    } finally {
      await server.stop(true)
    }
    session = crypto.randomUUID()
    expect(
      await ask(payload(), { LODELINE_URL: 'http://127.0.0.1:1', LODELINE_TOKEN: 'x', LODELINE_TASK_ID: 't' }),
    ).toBeNull()
  })
})
