/** The demonstration as a person starts it, left standing at its end: a server with a story on its record. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { AGENTS } from '../../src/demo/story'
import { TASKS } from '../../src/demo/task-story'
import { buildDashboard } from '../build-web'

export interface Story {
  /** Logs one browser in. */
  link: string
  origin: string
  /** Milliseconds since the epoch at which its last act stood still. */
  endedAt: number
  /** The conversation with sub-agents, and the line by which it launched the first. */
  sessionId: string
  launchId: string
  /** The task whose first attempt was killed. */
  taskId: string
  /** Ends it as Ctrl-C does. */
  end(): Promise<void>
}

/** It takes about a minute; on a busy machine a few. */
const TOLD_MS = 300_000

/**
 * @param root     the repository's folder; its dashboard is built when it is not fresh
 * @param scratch  an empty folder for all that is written
 * @throws Error with what the demonstration said, when it ends early
 */
export async function startStory(root: string, scratch: string, signal: AbortSignal): Promise<Story> {
  await buildDashboard(root)
  const home = join(scratch, 'home')
  mkdirSync(home)
  const child = Bun.spawn([join(root, 'bin/lode'), 'up', '--demo', '--port', '0'], {
    cwd: scratch,
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: scratch },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = async () => {
    child.kill('SIGINT')
    await child.exited
  }
  try {
    const said = await saidAtTheEnd(child.stdout, signal)
    const link = /\n {2}(http:\S+#code=\S+)\n/.exec(said)?.[1]
    const folder = /--home (\S+)/.exec(said)?.[1]
    if (link === undefined || folder === undefined) throw new Error(`the demonstration ended early:\n${said}`)
    const { origin } = new URL(link)
    const token = readFileSync(join(folder, 'token'), 'utf8').trim()
    const client = createClient(httpTransport({ token, origin }), { baseUrl: origin })
    return { link, origin, endedAt: Date.now(), ...(await findActs(client)), end }
  } catch (error) {
    await end()
    throw error
  }
}

/** What it prints up to the link to the dashboard. The rest is read by nobody, and short. */
async function saidAtTheEnd(stdout: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(TOLD_MS)])
  const reader = stdout.getReader()
  const stop = () => void reader.cancel()
  ending.addEventListener('abort', stop, { once: true })
  const decoder = new TextDecoder()
  let said = ''
  while (!/#code=\S+\n/.test(said)) {
    const { value, done } = await reader.read()
    if (done) break
    said += decoder.decode(value, { stream: true })
  }
  ending.removeEventListener('abort', stop)
  ending.throwIfAborted()
  return said
}

async function findActs(client: Client): Promise<Pick<Story, 'sessionId' | 'launchId' | 'taskId'>> {
  const { sessions } = await client.sessions.list({ limit: 50 })
  for (const { id } of sessions) {
    const { subagents } = await client.subagents.list({ sessionId: id })
    const launched = subagents.find(({ description }) => description === AGENTS.search.description)
    if (!launched?.toolUseId) continue
    const { call } = await client.toolUses.get(launched.toolUseId, { sessionId: id })
    const { tasks } = await client.tasks.list({ limit: 50 })
    const task = tasks.find((each) => each.task === TASKS.pack)
    if (call && task) return { sessionId: id, launchId: call.id, taskId: task.id }
  }
  throw new Error('the story is not on the record')
}
