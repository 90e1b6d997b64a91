/** Where the CLI keeps a conversation, which process has it open, and how it is continued elsewhere. */
import { afterEach, expect } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeCodeRun } from '../../../src/harness/claude-code/run'
import { cliPath, EACH_OUTER_CLI } from '../../lab/claude'
import { inTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { killAll, processTree } from '../../lab/processes'
import type { ModelRequest } from '../../lab/request-log'
import { until } from '../../lab/until'
import { Drive, drive } from './drive'

const SCRIPT = join(import.meta.dir, 'script.json')

let lab: LabWith<'claude'> | undefined
afterEach(async () => {
  await Drive.killAll()
  await lab?.stop()
})

const uuid = () => crypto.randomUUID()
/** What the model was shown when it was last asked for this conversation. */
const shown = (requests: readonly ModelRequest[], session: string): string =>
  JSON.stringify(
    requests.findLast((request) => request.session === session && request.who === 'main')?.body.messages ?? [],
  )

inTurn(EACH_OUTER_CLI, 'Claude Code %s', (test, version) => {
  test('keeps a conversation where we look for it, whatever its working directory is called', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    // A plain one is the project of the tests below.
    const folders = ['ü é 日本/x.y_z', `${'a'.repeat(120)}/${'b'.repeat(120)}`, `e\u0301${'q'.repeat(210)}`]
    for (const name of folders) {
      const cwd = join(lab.claude.root, name)
      mkdirSync(cwd, { recursive: true })
      const sessionId = uuid()
      await drive(lab.claude, 'HELLO', { cwd, conversation: { kind: 'new', sessionId } })
      expect(existsSync(claudeCodeRun.transcriptPath({ root: lab.claude.claudeRoot, cwd }, sessionId))).toBe(true)
    }
    const link = join(lab.claude.root, 'link')
    symlinkSync(lab.claude.project, link)
    const sessionId = uuid()
    await drive(lab.claude, 'HELLO', { cwd: link, conversation: { kind: 'new', sessionId } })
    expect(existsSync(claudeCodeRun.transcriptPath({ root: lab.claude.claudeRoot, cwd: link }, sessionId))).toBe(true)
  })

  test('tells who has a conversation open, and not after its end, however it ended', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const place = { root: lab.claude.claudeRoot, cwd: lab.claude.project }
    const sessionId = uuid()
    const first = new Drive(lab.claude, { conversation: { kind: 'new', sessionId } })
    first.say('HELLO')
    await first.idle()
    expect(claudeCodeRun.openedBy(place, sessionId)).toMatchObject({ pid: first.pid })
    await first.end()
    expect(claudeCodeRun.openedBy(place, sessionId)).toBeNull()

    const second = new Drive(lab.claude, { conversation: { kind: 'resume', sessionId } })
    second.say('HELLO again')
    await second.idle()
    expect(claudeCodeRun.openedBy(place, sessionId)).toMatchObject({ pid: second.pid })
    await second.kill()
    expect(readdirSync(join(lab.claude.claudeRoot, 'sessions'))).toContain(`${second.pid}.json`)
    expect(claudeCodeRun.openedBy(place, sessionId)).toBeNull()
  })

  test('opens a conversation in a terminal, and tells that a person has it open there', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const { claudeRoot: root, home, project } = lab.claude
    const place = { root, cwd: project }
    const sessionId = uuid()
    await drive(lab.claude, 'HELLO', { conversation: { kind: 'new', sessionId } })
    passFirstStart(home, project)
    let screen = ''
    const person = Bun.spawn(
      [
        cliPath(version),
        ...claudeCodeRun.openArguments({ resume: sessionId, fork: false, sessionId: null, model: null }),
      ],
      {
        cwd: project,
        env: lab.claude.environment({ TERM: 'xterm-256color' }),
        terminal: {
          data(_terminal, bytes) {
            screen += new TextDecoder().decode(bytes)
          },
        },
      },
    )
    try {
      const opener = await until(
        'the terminal to have it open',
        () => claudeCodeRun.openedBy(place, sessionId) ?? false,
      )
      expect(opener).toEqual({ pid: person.pid, kind: 'cli' })
      await until('the conversation to be on the screen', () => screen.includes('yourself'))
    } finally {
      killAll(processTree(person.pid))
      await person.exited
    }
    expect(claudeCodeRun.openedBy(place, sessionId)).toBeNull()
  })

  test('goes on with a conversation that was restored for another user in another folder, sub-agents included', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const { claudeRoot, project } = lab.claude
    const sessionId = uuid()
    await drive(lab.claude, 'DELEGATE one', { conversation: { kind: 'new', sessionId } })
    const from = claudeCodeRun.transcriptPath({ root: claudeRoot, cwd: project }, sessionId)
    const subagents = join(from.slice(0, -'.jsonl'.length), 'subagents')
    const names = readdirSync(subagents)
    expect(names.length).toBeGreaterThanOrEqual(2)

    const home = join(lab.claude.root, 'h2')
    const cwd = join(lab.claude.root, 'p2')
    mkdirSync(cwd)
    const place = { root: join(home, '.claude'), cwd }
    async function* files() {
      yield { name: `${sessionId}.jsonl`, bytes: readFileSync(from) }
      for (const name of names)
        yield { name: `${sessionId}/subagents/${name}`, bytes: readFileSync(join(subagents, name)) }
    }
    await claudeCodeRun.restore(place, sessionId, files())
    const restored = claudeCodeRun.transcriptPath(place, sessionId)
    expect(readFileSync(restored).equals(readFileSync(from))).toBe(true)

    const ended = await drive(lab.claude, 'HELLO two', { cwd, home, conversation: { kind: 'resume', sessionId } })
    expect(ended.outcome.isOk).toBe(true)
    expect(ended.events.find((event) => event.kind === 'init')?.sessionId).toBe(sessionId)
    const seen = shown(lab.claude.requests(), sessionId)
    expect(seen).toContain('DELEGATE one')
    expect(seen).toContain('Worker report.')
    // It was written on there, and only there.
    expect(readFileSync(restored).length).toBeGreaterThan(readFileSync(from).length)
    for (const name of names)
      expect(existsSync(join(restored.slice(0, -'.jsonl'.length), 'subagents', name))).toBe(true)
  })

  test('forks a parent that is in the middle of a tool call: the child is shown what was finished and no open call', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const { claudeRoot, project, root } = lab.claude
    const parentId = uuid()
    const parent = new Drive(lab.claude, { conversation: { kind: 'new', sessionId: parentId } })
    parent.say('HELLO ONE')
    await parent.idle()
    const before = parent.events.length
    parent.say('WORK TWO')
    await parent.event('state', (event) => event.state === 'running', before)
    await parent.event('result', undefined, before)
    await parent.idle()
    parent.say('SLOW please')
    await parent.event('tool', (event) => event.text.includes('sleep 60'))
    const path = claudeCodeRun.transcriptPath({ root: claudeRoot, cwd: project }, parentId)
    // The call is in the file a moment after it is in the output.
    await waitFor(() => readFileSync(path, 'utf8').includes('Slow and still open'))
    const whole = readFileSync(path)
    const cut = claudeCodeRun.cutAtLastTurn(whole)
    expect(cut).not.toBeNull()
    const kept = Buffer.from(cut?.bytes ?? []).toString()
    expect(kept).not.toContain('SLOW please')
    const words = whole
      .toString()
      .split('\n')
      .findLast((line) => line.includes('"Worked."'))
    expect(JSON.parse(words ?? '{}').uuid).toBe(cut?.lastUuid ?? '')

    const snapshot = join(root, 'snapshot.jsonl')
    writeFileSync(snapshot, cut?.bytes ?? '')
    const home = join(root, 'h2')
    const cwd = join(root, 'p2')
    mkdirSync(cwd)
    for (const place of [{}, { cwd }, { cwd, home }]) {
      const sessionId = uuid()
      const child = await drive(lab.claude, 'HELLO CHILD', {
        ...place,
        conversation: { kind: 'fork', path: snapshot, sessionId },
      })
      expect(child.outcome).toMatchObject({ isOk: true })
      expect(child.events.find((event) => event.kind === 'init')?.sessionId).toBe(sessionId)
      const seen = shown(lab.claude.requests(), sessionId)
      for (const part of ['HELLO ONE', 'WORK TWO', 'Worked.', 'HELLO CHILD']) expect(seen).toContain(part)
      for (const part of ['SLOW', 'still open', 'Continue from where', 'interrupted', 'outcome is unknown'])
        expect(seen).not.toContain(part)
      // What the parent cost is not the child's.
      const result = child.events.findLast((event) => event.kind === 'result')?.result
      expect(result?.usage?.inputTokens).toBe(100)
    }
    expect(readFileSync(snapshot).equals(Buffer.from(cut?.bytes ?? []))).toBe(true)
    expect(readFileSync(path).subarray(0, whole.length).equals(whole)).toBe(true)
    await parent.kill()
  })

  test('forks what a compaction left: the child is shown the summary and not what it replaced', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const parentId = uuid()
    await drive(lab.claude, 'HELLO ONE', { conversation: { kind: 'new', sessionId: parentId } })
    await drive(lab.claude, 'HELLO TWO', { conversation: { kind: 'resume', sessionId: parentId } })
    const compacted = await drive(lab.claude, '/compact', { conversation: { kind: 'resume', sessionId: parentId } })
    expect(compacted.events.filter((event) => event.kind === 'compacted')).toHaveLength(1)
    const path = claudeCodeRun.transcriptPath({ root: lab.claude.claudeRoot, cwd: lab.claude.project }, parentId)
    const snapshot = join(lab.claude.root, 'snapshot.jsonl')
    writeFileSync(snapshot, claudeCodeRun.cutAtLastTurn(readFileSync(path))?.bytes ?? '')
    const sessionId = uuid()
    const child = await drive(lab.claude, 'HELLO CHILD', {
      conversation: { kind: 'fork', path: snapshot, sessionId },
    })
    expect(child.outcome.isOk).toBe(true)
    const seen = shown(lab.claude.requests(), sessionId)
    expect(seen).toContain('SUMMARY: it was begun.')
    expect(seen).not.toContain('HELLO ONE')
  })

  test('forks a parent that was killed in a tool call and went on: the turns on its branch are shown', async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
    const parentId = uuid()
    const killed = new Drive(lab.claude, { conversation: { kind: 'new', sessionId: parentId } })
    killed.say('SLOW please')
    const path = claudeCodeRun.transcriptPath({ root: lab.claude.claudeRoot, cwd: lab.claude.project }, parentId)
    await waitFor(() => existsSync(path) && readFileSync(path, 'utf8').includes('Slow and still open'))
    await killed.kill()
    expect(claudeCodeRun.cutAtLastTurn(readFileSync(path))).toBeNull()
    await drive(lab.claude, 'HELLO AGAIN', { conversation: { kind: 'resume', sessionId: parentId } })
    const snapshot = join(lab.claude.root, 'snapshot.jsonl')
    const cut = claudeCodeRun.cutAtLastTurn(readFileSync(path))
    writeFileSync(snapshot, cut?.bytes ?? '')
    rmSync(dirname(path), { recursive: true })
    const sessionId = uuid()
    const child = await drive(lab.claude, 'HELLO CHILD', {
      conversation: { kind: 'fork', path: snapshot, sessionId },
    })
    expect(child.outcome.isOk).toBe(true)
    const seen = shown(lab.claude.requests(), sessionId)
    expect(seen).toContain('SLOW please')
    expect(seen).toContain('HELLO AGAIN')
  })
})

const waitFor = (condition: () => boolean) => until('the transcript to have the line', condition)

/** Without this the CLI asks a person about its looks, this key and this folder first. */
function passFirstStart(home: string, project: string): void {
  const path = join(home, '.claude.json')
  const config = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const more = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['no-key-needed'], rejected: [] },
    projects: { ...config.projects, [project]: { ...config.projects?.[project], ...known } },
  }
  writeFileSync(path, JSON.stringify({ ...config, ...more }))
}
