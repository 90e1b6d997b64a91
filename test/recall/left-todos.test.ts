/**
 * The real CLI is killed in the middle of its work; another session on the same issue hears what it left, whichever tool the agent kept its
 * to-dos with. Hooks alone, no server.
 */
import { afterEach, expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const TOOLS = {
  TodoWrite: { CLAUDE_CODE_ENABLE_TASKS: '0', ENABLE_TOOL_SEARCH: 'false' },
  TaskCreate: { ENABLE_TOOL_SEARCH: 'false' },
}
/** As it stands inside of a request's JSON. */
const asSent = (text: string) => JSON.stringify(text).slice(1, -1)
const times = (text: string, part: string) => text.split(part).length - 1

inTurn(EACH_CLI, 'Claude Code %s', (test, version) => {
  let lab: LabWith<'claude'>
  afterEach(() => lab.stop(), 30_000)

  async function lode(...args: string[]): Promise<string> {
    const child = Bun.spawn([...LODE, ...args], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([args, code, err]).toEqual([args, 0, expect.anything()])
    return out
  }

  async function newIssue(title: string): Promise<string> {
    const { issue } = JSON.parse(await lode('issue', 'create', title, '--json')) as { issue: { id: string } }
    return issue.id
  }

  /** What the model was sent of the first prompt of a session. */
  const sentTo = (session: string): string =>
    JSON.stringify(
      lab.claude.requests().find((request) => request.session === session && request.who === 'main')?.body.messages ??
        [],
    )

  async function say(session: string, issue: string, resume = false): Promise<string> {
    const before = lab.claude.requests().length
    const ended = await lab.claude.run({
      prompt: 'good morning',
      ...(resume ? { resume: session } : { sessionId: session }),
      env: { LODELINE_ISSUE: issue },
    })
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    await lode('session', 'list')
    return resume ? JSON.stringify(lab.claude.requests().slice(before).at(-1)?.body.messages) : sentTo(session)
  }

  test.each((Object.keys(TOOLS) as (keyof typeof TOOLS)[]).map((tool): [keyof typeof TOOLS] => [tool]))(
    'what a killed session left, kept by %s, is found in what the next one on its issue is sent',
    async (tool) => {
      lab = await openLab({ claude: { version, script: 'left', env: TOOLS[tool] } })
      await lode('config', 'set', 'agents.claude-code.executable', cliPath(version))
      await lode('config', 'set', 'worker.sandbox', 'off')
      await lode('setup', 'claude', '--user')
      const wall = await newIssue('Rebuild the wall')
      const [killed, next, elsewhere] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
      const working = lab.claude.launch({ prompt: 'plan it', sessionId: killed, env: { LODELINE_ISSUE: wall } })
      await until('the command of the turn', () => existsSync(join(lab.claude.project, 'begun')))
      const [, used] = lab.claude.requests().filter(({ rule }) => rule === 'work')
      expect(JSON.stringify(used?.body.messages)).toContain(`"name":"${tool}"`)
      await working.crash()
      await lode('session', 'list')
      await lode('comment', 'add', wall, 'The mayor wants it higher')

      const told = await say(next, wall)
      expect(times(told, 'Left by earlier sessions on this work')).toBe(1)
      for (const part of [
        `session ${killed}`,
        '[>] "Mix the mortar" (in progress)',
        '[ ] "Set the keystone"',
        `lode todo take --from ${killed}`,
        `Linked task ${wall} (open): "Rebuild the wall", named by LODELINE_ISSUE`,
        'commented: "The mayor wants it higher"',
      ])
        expect(told.includes(asSent(part)) ? part : told.slice(0, 4_000)).toBe(part)
      expect(told).not.toContain('Fetch the stones')

      // Another piece of work hears of none of it.
      const crane = await newIssue('Oil the crane')
      const unrelated = await say(elsewhere, crane)
      expect(unrelated).not.toContain('mortar')
      // The one that was killed has its own list again, and is not told of the comment twice.
      const back = await say(killed, wall, true)
      expect(back).toContain('To-dos, 1 of 3 done')
      expect(times(back, 'The mayor wants it higher')).toBe(1)
    },
  )
})
