/**
 * What each real CLI reports to a worker: what it asks about, what a rule keeps from it, and why its model did not answer. One process of
 * each goes through all of it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessRun, RunEnd, RunOutcome } from '../../src/domain/harness/harness-run'
import { alwaysRules } from '../../src/domain/policy/always-rule'
import { judge } from '../../src/domain/policy/tool-rules'
import type { FailureClass } from '../../src/domain/task/task'
import { codexRun } from '../../src/harness/codex/run'
import { copilotRun } from '../../src/harness/copilot/run'
import { opencodeRun } from '../../src/harness/opencode/run'
import { piRun } from '../../src/harness/pi/run'
import { realPath } from '../../src/util/files/real-path'
import { AgentProcess, type DrivenCli } from '../agents/agent-process'
import { Codex } from '../agents/codex'
import { Copilot } from '../agents/copilot'
import { Opencode } from '../agents/opencode'
import { Pi } from '../agents/pi'
import { Lab } from '../lab/lab'

const refusal = (status: number, message: string, code: string, headers: Record<string, string> = {}) => [
  { status, error: { message, code }, headers },
]
/** An hour: longer than a run should wait. */
const LATER = { 'retry-after': '3600' }

const SCRIPTS = {
  odd: refusal(400, 'This request is odd', 'odd'),
  key: refusal(401, 'This key is not known', 'invalid_api_key'),
  country: refusal(403, 'Not in this country', 'forbidden'),
  credit: refusal(402, 'Nothing is left', 'over'),
  quota: refusal(429, 'You exceeded your current quota', 'insufficient_quota'),
  long: refusal(400, 'The maximum context length is 128000 tokens', 'context_length_exceeded'),
  large: refusal(413, 'Payload too large', 'large'),
  model: refusal(404, 'The model `nobody` does not exist', 'model_not_found'),
  filter: refusal(400, 'This prompt met our content management policy', 'content_filter'),
  rates: refusal(429, 'Rate limit reached', 'rate_limit_exceeded', { 'retry-after': '1' }),
  later: refusal(429, 'Too many requests', 'slow_down', LATER),
  // No event of an answer.
  broken: [{ status: 200, error: 'This is no answer.', headers: { 'content-type': 'text/event-stream' } }],
}
type Name = keyof typeof SCRIPTS

/** Rules that refuse, and what a CLI's model tries in spite of them: by each of its tools, and by a sub-agent. */
const DENIED = ['Bash(rm *)', 'Edit(**/secret*)', 'Read(**/secret*)']
type Call = { tool: string; args: object }
interface Tools {
  shell(command: string): Call
  /** Read and change `secret.txt`, make `secret2.txt`. */
  files: readonly Call[]
  /** `null` = another test has one, or the CLI has none. */
  subagent: ((prompt: string) => Call) | null
}
const bash = (command: string): Call => ({ tool: 'bash', args: { command, description: 'Runs' } })

const scriptsOf = ({ shell, files, subagent }: Tools) => ({
  ...SCRIPTS,
  asks: [[shell('touch asked')], [shell('touch asked')], [{ text: 'Done.' }]],
  tries: [
    [shell('rm -rf precious')],
    ...files.map((call) => [call]),
    ...(subagent === null ? [] : [[subagent('Clean up @@helps')]]),
    [{ text: 'I could not.' }],
  ],
  helps: [[shell('rm -rf precious')], [{ text: 'Nor could I.' }]],
})

/** What is the same for all: class, words of ours, and words of the provider or of the CLI. */
const COMMON: Partial<Record<Name, readonly [FailureClass, string, string]>> = {
  odd: ['bad_flag', "The model's API refused the request", 'odd'],
  key: ['login', 'refused the login', 'then retry'],
  country: ['login', 'refused the login', 'then retry'],
  credit: ['usage_limit', 'A usage limit of the account was reached', 'Nothing is left'],
  quota: ['usage_limit', 'A usage limit of the account was reached', 'uota'],
  long: ['prompt_too_long', 'The conversation is too long for the model', 'context'],
  model: ['bad_flag', "The model can't be used", "Change the task's model"],
  filter: ['agent', 'The provider of the model refused the work', 'content management policy'],
  broken: ['overloaded', "The model's API gave no whole answer", ''],
}
const REFUSED = Object.keys(COMMON) as Name[]
/** Codex waits for the network: `codex/run/talk`. */
const AWAY = "The model's API was not reached"

/** What each is asked beside, and how it reports it. What it tries again takes seconds, so each shows its own part. */
const CLIS: readonly {
  run: HarnessRun
  start(root: string): Promise<DrivenCli & AsyncDisposable & { stopModel(): void }>
  more: Partial<Record<Name | 'away', readonly [FailureClass, string, string]>>
}[] = [
  {
    run: codexRun,
    async start(root) {
      const patch = (words: string) => `apply_patch <<'END'\n*** Begin Patch\n${words}\n*** End Patch\nEND`
      const shell = (cmd: string): Call => ({ tool: 'exec_command', args: { cmd, yield_time_ms: 20_000 } })
      const change = shell(patch('*** Update File: secret.txt\n@@\n-under the mat\n+gone'))
      const files = [change, shell(patch('*** Add File: secret2.txt\n+evil'))]
      // Sub-agents: `e2e/agent-clis/codex-tasks`.
      const codex = await Codex.start(root, scriptsOf({ shell, files, subagent: null }))
      codex.configure()
      // Its sandbox makes helpers in the folder for temporary files, and none where its own folder lies in that.
      const temporary = join(root, 't')
      mkdirSync(temporary)
      const passed = { LOCAL_KEY: 'none', TMPDIR: temporary }
      return driven(codex, join(codex.onPath(), 'codex'), { CODEX_HOME: codex.folder }, passed)
    },
    more: {
      large: ['prompt_too_long', 'too long for the model', '413'],
      rates: ['overloaded', 'takes no more requests for now', '429'],
      later: ['overloaded', 'takes no more requests for now', '429'],
    },
  },
  {
    run: copilotRun,
    async start(root) {
      // It asks about no file that it reads in its folder.
      const files = [
        { tool: 'edit', args: { path: join(root, 'p/secret.txt'), old_str: 'under the mat', new_str: 'gone' } },
        { tool: 'create', args: { path: join(root, 'p/secret2.txt'), file_text: 'evil' } },
      ]
      const subagent = (prompt: string) => ({
        tool: 'task',
        args: { name: 'm', description: 'Helps', prompt, agent_type: 'general-purpose' },
      })
      const copilot = await Copilot.start(root, scriptsOf({ shell: bash, files, subagent }))
      return driven(copilot, copilot.program, { COPILOT_HOME: copilot.folder, ...copilot.environment })
    },
    more: {
      later: ['overloaded', 'takes no more requests for now', '429'],
      away: ['overloaded', AWAY, 'Could not connect'],
    },
  },
  {
    run: opencodeRun,
    async start(root) {
      const filePath = join(root, 'p/secret.txt')
      const files = [
        { tool: 'read', args: { filePath } },
        { tool: 'write', args: { filePath: join(root, 'p/secret2.txt'), content: 'evil' } },
        { tool: 'edit', args: { filePath, oldString: 'under the mat', newString: 'gone' } },
        { tool: 'grep', args: { pattern: 'mat', path: filePath } },
      ]
      const subagent = (prompt: string) => ({
        tool: 'task',
        args: { description: 'Helps', prompt, subagent_type: 'general' },
      })
      const opencode = await Opencode.start(root, scriptsOf({ shell: bash, files, subagent }))
      return driven(opencode, opencode.program, opencode.environment)
    },
    more: {
      large: ['prompt_too_long', 'too long for the model', 'Payload'],
      // It would wait for as long: the task waits instead.
      later: ['usage_limit', "The model's API asks for a long wait", 'it ends at 20'],
    },
  },
  {
    run: piRun,
    async start(root) {
      const files = [
        { tool: 'read', args: { path: 'secret.txt' } },
        { tool: 'write', args: { path: 'secret2.txt', content: 'evil' } },
        { tool: 'edit', args: { path: 'secret.txt', edits: [{ oldText: 'under the mat', newText: 'gone' }] } },
      ]
      const pi = await Pi.start(root, scriptsOf({ shell: bash, files, subagent: null }))
      return driven(pi, pi.program(), { PI_CODING_AGENT_DIR: pi.folder, PI_OFFLINE: '1' })
    },
    more: {
      large: ['prompt_too_long', 'too long for the model', 'Payload'],
      away: ['overloaded', AWAY, 'ECONNREFUSED'],
    },
  },
]

function driven<T extends AsyncDisposable & { home: string; project: string; folder: string }>(
  cli: T & { model?: Disposable },
  program: string,
  environment: Readonly<Record<string, string>>,
  passed: Readonly<Record<string, string>> = {},
) {
  const { home, project, folder, model } = cli
  return {
    ...{ home, project, folder, program, environment, passed },
    stopModel: () => (model === undefined ? void cli[Symbol.asyncDispose]() : model[Symbol.dispose]()),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}

let lab: Lab
/** By CLI and script. */
const outcomes = new Map<string, RunOutcome>()
/** By CLI: its questions, and its folder. */
const asked = new Map<string, AgentProcess['asked']>()
const projects = new Map<string, string>()
beforeAll(async () => {
  lab = new Lab()
  // They wait more than they work.
  await Promise.all(
    CLIS.map(async ({ run, start, more }) => {
      const cli = await start(lab.folder(run.agent))
      lab.ending(run.agent, () => cli[Symbol.asyncDispose]())
      projects.set(run.agent, cli.project)
      mkdirSync(join(cli.project, 'precious'))
      writeFileSync(join(cli.project, 'secret.txt'), 'under the mat\n')
      await using agent = new AgentProcess(run, cli, join(lab.folder(`${run.agent}-run`), 'run'), { denied: DENIED })
      asked.set(run.agent, agent.asked)
      for (const name of ['asks', 'tries', ...REFUSED, ...Object.keys(more)]) {
        if (name === 'away') cli.stopModel()
        outcomes.set(`${run.agent} ${name}`, await agent.turn(`go @@${name}`))
      }
    }),
  )
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

for (const { run, more } of CLIS)
  test(`${run.agent} tells why its model did not answer, and a person reads what to do`, () => {
    const table = { ...COMMON, ...more }
    const read = Object.entries(table).map(([name, [failureClass, ours, theirs]]) => {
      const { failureClass: found = null, reason = '', resetAt = null } = outcomes.get(`${run.agent} ${name}`) ?? {}
      const isTold =
        reason.includes(ours) && reason.includes(theirs) && reason.endsWith('.') && !/[{}]|\.\./.test(reason)
      // A limit with an end parks the task until then.
      const isTimed = (resetAt !== null) === (failureClass === 'usage_limit' && name === 'later')
      return found === failureClass && isTold && isTimed ? [] : [`${name}: ${found} ${reason} ${resetAt}`]
    })
    expect(read.flat()).toEqual([])
  })

test.each(CLIS)(
  '$run.agent asks about a call in words by which the rule that is offered lets it through',
  ({ run }) => {
    expect(outcomes.get(`${run.agent} asks`)?.isOk).toBe(true)
    const cwd = projects.get(run.agent) ?? ''
    const [first, second] = (asked.get(run.agent) ?? []).filter(({ toolName }) => toolName === 'Bash')
    expect(first).toMatchObject({ toolName: 'Bash', input: { command: 'touch asked' } })
    expect(existsSync(join(cwd, 'asked'))).toBe(true)
    const rules = alwaysRules('Bash', first?.input, false, cwd)
    expect(rules).toEqual([`Bash(touch asked) in ${cwd}`, 'Bash(touch asked)'])
    const place = { cwd, userHome: '/nobody', real: realPath }
    for (const rule of rules)
      expect(judge({ allow: [rule], deny: [] }, 'Bash', second?.input, place)).toEqual({ behavior: 'allow', rule })
  },
)

test.each(CLIS)(
  '$run.agent does by none of its tools, nor by a sub-agent, what a rule refuses, and goes on',
  ({ run }) => {
    expect(outcomes.get(`${run.agent} tries`)?.isOk).toBe(true)
    const cwd = projects.get(run.agent) ?? ''
    expect(existsSync(join(cwd, 'precious'))).toBe(true)
    expect(existsSync(join(cwd, 'secret2.txt'))).toBe(false)
    expect(readFileSync(join(cwd, 'secret.txt'), 'utf8')).toBe('under the mat\n')
    // Nobody is asked about what is refused.
    const inputs = (asked.get(run.agent) ?? []).map(({ input }) => JSON.stringify(input))
    expect(inputs.filter((input) => /precious|secret/.test(input))).toEqual([])
  },
)

test.each(CLIS)(
  '$run.agent: a process that dies is a crash that says how, with the last words of its own',
  ({ run }) => {
    const end = { exitCode: 3, signal: null, result: null, stderr: '', apiErrors: [], isResume: false, now: 0 }
    const of = (more: Partial<RunEnd>) => run.outcome({ ...end, ...more })
    expect(of({ exitCode: null, signal: 'SIGKILL' })).toMatchObject({
      ...{ failureClass: 'crash', resetAt: null },
      reason: expect.stringContaining('was killed by SIGKILL before it had a result.'),
    })
    expect(of({}).reason).toEndWith('ended before it had a result, with exit code 3. It did not say why.')
    const stderr = 'first\nGLIBC_2.99 is missing\n\n'
    expect(of({ stderr }).reason).toEndWith('with exit code 3. It said: GLIBC_2.99 is missing.')
  },
)
