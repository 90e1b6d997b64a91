/** A run while it is at work: what it reports, what it receives, and when its work is over. */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCodeRun } from '../../../src/harness/claude-code/run'
import { mcpConfigFile, settingsFile } from '../../../src/harness/claude-code/run/files'
import { cliPath, EACH_OUTER_CLI } from '../../lab/claude'
import { inTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { Drive, drive } from './drive'

const SCRIPT = join(import.meta.dir, 'script.json')

afterEach(() => Drive.killAll())

const uuid = () => crypto.randomUUID()

inTurn(EACH_OUTER_CLI, 'Claude Code %s', (test, version) => {
  let lab: LabWith<'claude'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
  })
  afterAll(() => lab?.stop())

  test('takes every option that a run is given, with our id and our model', async () => {
    const mcpConfig = join(lab.claude.root, 'mcp.json')
    // Nobody listens there: a server that is away must not keep a run from its work.
    writeFileSync(
      mcpConfig,
      mcpConfigFile({ serverUrl: 'http://127.0.0.1:9', token: 'lat_x', root: '/nowhere', mcpServers: [] }),
    )
    const sessionId = uuid()
    const ended = await drive(lab.claude, 'HELLO', {
      conversation: { kind: 'new', sessionId },
      model: 'sonnet',
      permissionMode: 'acceptEdits',
      maxTurns: 5,
      maxCostUsd: 1.5,
      mcpConfig,
      settingSources: 'user,project,local',
      asksPermission: true,
    })
    expect(ended.stderr).not.toContain('error')
    expect(ended.outcome).toMatchObject({ isOk: true })
    expect(ended.events.find((event) => event.kind === 'init')).toMatchObject({
      sessionId,
      model: expect.stringContaining('claude-sonnet'),
      version,
    })
    expect(await claudeCodeRun.version(cliPath(version), lab.claude.environment())).toBe(version)
  })

  test("runs our hooks at a session's start, also when it is resumed, and the person's own settings only when told to; of a resumed conversation it tells only what this process spent", async () => {
    const { root, claudeRoot } = lab.claude
    const hook = (name: string) => {
      const path = join(root, name)
      writeFileSync(path, '#!/bin/sh\ncat >> "$0.log"; echo >> "$0.log"\n', { mode: 0o755 })
      return path
    }
    const calls = (path: string) =>
      existsSync(`${path}.log`)
        ? readFileSync(`${path}.log`, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line).source)
        : []
    const ours = hook("our lode's")
    const theirs = hook('theirs')
    mkdirSync(claudeRoot, { recursive: true })
    const theirHooks = { SessionStart: [{ hooks: [{ type: 'command', command: theirs }] }] }
    writeFileSync(join(claudeRoot, 'settings.json'), JSON.stringify({ hooks: theirHooks }))
    const settings = JSON.parse(settingsFile({ lode: [ours], denied: [], cwd: '/', userHome: '/' }))
    const sessionId = uuid()
    const spent = async (kind: 'new' | 'resume') => {
      const { events } = await drive(lab.claude, 'HELLO', { settings, conversation: { kind, sessionId } })
      return events.findLast((event) => event.kind === 'result')?.result
    }
    const first = await spent('new')
    const second = await spent('resume')
    expect(first?.costUsd ?? 0).toBeGreaterThan(0)
    expect(second?.costUsd).toBeCloseTo(first?.costUsd ?? 0, 10)
    expect(second?.usage).toEqual({ inputTokens: 100, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 })
    expect(calls(ours)).toEqual(['startup', 'resume'])
    expect(calls(theirs)).toEqual([])
    await drive(lab.claude, 'HELLO', {
      settings,
      settingSources: 'user',
      conversation: { kind: 'resume', sessionId },
    })
    expect(calls(ours)).toEqual(['startup', 'resume', 'resume'])
    expect(calls(theirs)).toEqual(['resume'])
  })

  test('is idle with nothing in the background only after its background agent and shell have ended', async () => {
    const run = new Drive(lab.claude)
    for (const [prompt, kind] of [
      ['AGENT', 'agents'],
      ['SHELL', 'shells'],
    ] as const) {
      const before = run.events.length
      run.say(prompt)
      await run.event('result', (event) => event.result.text === 'Noted.', before)
      await run.idle()
      const events = run.events.slice(before)
      expect(events.some((event) => event.kind === 'result' && event.result.isError)).toBe(false)
      const background = events.flatMap((event) => (event.kind === 'background' ? [event] : []))
      expect(background.map((event) => event[kind].length)).toEqual([1, 0])
      const ended = events.lastIndexOf(background[1] ?? events[0] ?? { kind: 'compacted' })
      const after = events.slice(ended)
      expect(after.findLast((event) => event.kind === 'state')?.state).toBe('idle')
      expect(after.findLast((event) => event.kind === 'result')?.result.text).toBe('Noted.')
    }
    expect((await run.end()).outcome.isOk).toBe(true)
  })

  test('still tells the model of background work whose end meets a closed input', async () => {
    for (const prompt of ['AGENT', 'SHELL']) {
      const run = new Drive(lab.claude)
      run.say(prompt)
      await run.event('background', (event) => event.agents.length + event.shells.length === 1)
      const before = run.events.length
      // Idle and nothing in the background: between this line and the next turn a worker may think that all is over.
      await run.event('background', (event) => event.agents.length + event.shells.length === 0, before)
      const ended = await run.end()
      expect(ended.events.findLast((event) => event.kind === 'result')?.result.text).toBe('Noted.')
      expect(ended.outcome.isOk).toBe(true)
    }
  })

  test('takes a message in the middle of a turn, tells when the conversation has it, and drops a repeat; is interrupted by a line, stays, and takes the next message; any text comes through whole', async () => {
    const run = new Drive(lab.claude)
    const first = run.say('WORK')
    await run.event('tool')
    const steer = run.say('STEER: a new course')
    await run.event('delivered', (event) => event.uuid === steer)
    await run.idle()
    run.say('WORK', 'next', first)
    const last = run.say('HELLO')
    await run.event('result', (event) => event.result.text === 'Hello yourself.')
    await run.idle()
    expect(run.events.flatMap((event) => (event.kind === 'delivered' ? [event.uuid] : []))).toEqual([
      ...[first, steer, last],
    ])
    expect(run.events.flatMap((event) => (event.kind === 'result' ? [event.result.text] : []))).toEqual([
      'Changed course.',
      'Hello yourself.',
    ])

    const then = run.events.length
    run.say('SLOW please')
    await run.event('tool', undefined, then)
    run.write(run.talk.interrupt('stop-1') ?? '')
    const result = await run.event('result', undefined, then)
    expect(result.result).toMatchObject({ isError: true })
    await run.idle()
    const text = 'HELLO\u2028two\u2029three\r\nfour "five" \\ \u{1f600} <system-reminder> \ud800'
    const before = run.events.length
    const sent = run.say(text)
    await run.event('delivered', (event) => event.uuid === sent, before)
    await run.event('result', (event) => event.result.text === 'Hello yourself.', before)
    const ended = await run.end()
    expect(ended.outcome.isOk).toBe(true)
    const content = JSON.stringify(lab.claude.requests().findLast((request) => request.who === 'main')?.body.messages)
    expect(content).toContain(JSON.stringify(text.toWellFormed()).slice(1, -1))
  })

  test('asks before a tool call that nobody allowed, and does as it is answered', async () => {
    const run = new Drive(lab.claude, { asksPermission: true, settings: { permissions: {} } })
    for (const behavior of ['deny', 'allow'] as const) {
      const before = run.events.length
      run.say('ASK')
      const asked = await run.event('permission', undefined, before)
      expect(asked).toMatchObject({ toolName: 'Bash', input: { command: 'touch asked.txt' } })
      expect(run.events.findLast((event) => event.kind === 'state')?.state).not.toBe('idle')
      run.write(run.talk.permit(asked.requestId, { behavior, message: 'Not today.', input: asked.input }))
      await run.event('result', undefined, before)
      await run.idle()
      expect(existsSync(join(lab.claude.project, 'asked.txt'))).toBe(behavior === 'allow')
      if (behavior === 'deny')
        expect(run.events.flatMap((event) => (event.kind === 'tool_result' ? [event.text] : []))).toEqual([
          'Bash failed: Not today.',
        ])
    }
    expect((await run.end()).outcome.isOk).toBe(true)
  })
})
