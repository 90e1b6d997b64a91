/**
 * The stories of `test/lab/scenarios/claude-code`, each as the runs of the CLI that it takes. One list, so that every
 * check of the record goes over the same stories.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Claude, RunResult } from '../../lab/claude'
import { until } from '../../lab/until'

/** Which sessions a story made, in the order in which it made them. */
export interface Played {
  sessions: string[]
  /** Fork → the session that it was forked from. */
  forks: Record<string, string>
}

export interface Scenario {
  name: string
  /** File of `test/lab/scenarios/claude-code`. */
  script: string
  env?: Record<string, string>
  play(claude: Claude): Promise<Played>
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'todos with the task tools',
    script: 'todos',
    play: (claude) => turns(claude, ['Please plan this', 'finish']),
  },
  {
    name: 'todos with TodoWrite',
    script: 'todos',
    // Without the second, newer CLIs hide the tool behind a search for tools.
    env: { CLAUDE_CODE_ENABLE_TASKS: '0', ENABLE_TOOL_SEARCH: 'false' },
    play: (claude) => turns(claude, ['Please plan this']),
  },
  {
    name: 'sub-agents, nested and side by side',
    script: 'subagents',
    play: (claude) => turns(claude, ['Please search']),
  },
  { name: 'a background agent', script: 'background', play: (claude) => turns(claude, ['agent']) },
  { name: 'a background shell', script: 'background', play: (claude) => turns(claude, ['shell']) },
  {
    name: 'a compaction by hand',
    script: 'compaction',
    play: (claude) => turns(claude, ['hello', 'go on', '/compact', 'and now']),
  },
  {
    name: 'an automatic compaction',
    script: 'compaction',
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    play: (claude) => turns(claude, ['hello', 'fill', 'and now']),
  },
  { name: 'killed in a tool call, resumed, forked', script: 'resume', play: playKilled },
  {
    name: 'two processes on one session',
    script: 'compaction',
    play: async (claude) => {
      const played = await turns(claude, ['hello'])
      const [session = ''] = played.sessions
      const runs = await Promise.all(['here', 'there'].map((prompt) => claude.run({ prompt, resume: session })))
      for (const run of runs) expectExit(run, 0, 'one of two')
      return played
    },
  },
  { name: 'a message in mid-turn', script: 'steering', play: playSteering },
  {
    name: 'errors of the model and of a tool',
    script: 'errors',
    play: async (claude) => {
      const prompts = ['rate limit', 'overloaded', 'bad request', 'dropped', 'failing tool']
      const sessions = prompts.map(() => crypto.randomUUID())
      const runs = await Promise.all(prompts.map((prompt, i) => claude.run({ prompt, sessionId: sessions[i] ?? '' })))
      for (const [i, run] of runs.entries()) {
        const prompt = prompts[i] ?? ''
        expectExit(run, prompt === 'overloaded' || prompt === 'bad request' ? 1 : 0, prompt)
      }
      return { sessions, forks: {} }
    },
  },
]

/** One session, one run of the CLI for each prompt. */
export async function turns(claude: Claude, prompts: string[], sessionId = crypto.randomUUID()): Promise<Played> {
  for (const [i, prompt] of prompts.entries()) {
    expectExit(await claude.run(i === 0 ? { prompt, sessionId } : { prompt, resume: sessionId }), 0, prompt)
  }
  return { sessions: [sessionId], forks: {} }
}

async function playKilled(claude: Claude): Promise<Played> {
  const session = crypto.randomUUID()
  const fork = crypto.randomUUID()
  const run = claude.launch({ prompt: 'long', sessionId: session })
  const file = claude.transcript(session)
  await until('the long command', () => existsSync(file) && readFileSync(file, 'utf8').includes('Long work'))
  await run.crash()
  expectExit(await claude.run({ prompt: 'carry on', resume: session }), 0, 'carry on')
  expectExit(
    await claude.run({ prompt: 'carry on elsewhere', resume: session, fork: true, sessionId: fork }),
    0,
    'carry on elsewhere',
  )
  return { sessions: [session, fork], forks: { [fork]: session } }
}

async function playSteering(claude: Claude): Promise<Played> {
  const session = crypto.randomUUID()
  const run = claude.steer({ sessionId: session })
  run.send({ type: 'user', message: { role: 'user', content: 'work' } })
  const file = claude.transcript(session)
  await until('the first command', () => existsSync(file) && readFileSync(file, 'utf8').includes('Part one'))
  run.send({ type: 'user', uuid: crypto.randomUUID(), message: { role: 'user', content: 'STEER: another way' } })
  run.end()
  expectExit(await run.exited, 0, 'work')
  return { sessions: [session], forks: {} }
}

function expectExit(run: RunResult, code: number, prompt: string): void {
  if (run.exitCode === code) return
  const said = `${run.stderr.slice(-600)}\n${run.stdout.slice(-600)}`
  throw new Error(`the CLI ended "${prompt}" with ${run.exitCode}, not ${code}: ${said}`)
}
