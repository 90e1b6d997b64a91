import { toAppError } from '../../domain/errors'
import type { TreeStatus } from '../../domain/overview/tree-entry'
import { SHOWN_SESSION_STATUSES } from '../../domain/session/session'
import { namesClis } from '../kit/arguments/agent-cli'
import { pageOf } from '../kit/arguments/page-of'
import type { Context, ServerConnection } from '../kit/context'
import { type TerminalStatus, terminalStatus } from '../kit/terminal-status'
import { dollars } from '../print/measures'
import { oneLine } from '../print/text'
import { openDashboard } from '../server/open-dashboard'
import { needCounts } from '../views/need-views'
import { draw, pageOfRows } from './draw'
import type { Key } from './keys'
import { needRow, type Row, recentRow, treeRow } from './rows'
import { openScreen } from './screen'
import { type Act, firstState, press, withRows } from './state'

type Client = ServerConnection['client']

/** What of the tree is listed. */
const AT_WORK: TreeStatus[] = [
  'running',
  'in_progress',
  ...SHOWN_SESSION_STATUSES.filter((each) => ['waiting', 'stuck'].includes(each)),
]
/** Entries of the tree that are listed, and how many levels deep. */
const MOST_ENTRIES = 100
const DEEPEST_LEVEL = 6
/** The newest conversations that are listed at the end. */
const RECENT = 5
/** Many changes in a row are asked about once. */
const CALM_MS = 250
/** Ages are drawn anew this often. */
const REDRAW_MS = 1_000

/** Shows the screen until its person leaves it, or a signal ends the process. @param agent  only this agent CLI */
export async function runTop(context: Context, server: ServerConnection, agent?: string): Promise<void> {
  const { io, signal } = context
  const { client } = server
  const over = new AbortController()
  const ending = AbortSignal.any([signal, over.signal])
  let state = firstState(io.now())
  let head = oneLine(`lode top: ${server.url}`)
  let names: boolean | undefined

  const tell = terminalStatus(context)
  const show = () => screen.draw(draw(state, { size: screen.size(), now: io.now(), head }))
  const note = (text: string) => {
    state = { ...state, note: oneLine(text) }
    show()
  }
  const onKeys = (keys: Key[]) => {
    for (const key of keys) {
      const step = press(state, key, io.now(), pageOfRows(screen.size()))
      state = step.state
      if (step.act?.kind === 'quit') return over.abort()
      if (step.act !== undefined)
        void perform(context, server, step.act, ending).then(note, (thrown) => note(toAppError(thrown).message))
    }
    show()
  }
  const screen = openScreen(io, onKeys, () => show())
  const timer = setInterval(show, REDRAW_MS)
  try {
    show()
    const look = looker(async () => {
      const seen = await load(client, agent, ending)
      names ??= await namesClis(
        context,
        seen.rows.map(({ cli }) => cli),
      )
      head = seen.head(server.url)
      tell(seen.status, seen.need)
      const rows = names ? seen.rows : seen.rows.map((row) => ({ ...row, cli: null }))
      state = withRows(state, rows, io.now())
      show()
    })
    await follow(client, ending, look, note)
  } finally {
    clearInterval(timer)
    screen.close()
    tell(null)
  }
}

/** Looks at once, and again after changes, never twice at the same time. */
function looker(load: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isDirty = false
  const turn = async (): Promise<void> => {
    do {
      isDirty = false
      await load()
      if (isDirty) await Bun.sleep(CALM_MS)
    } while (isDirty)
  }
  return () => {
    isDirty = true
    running ??= turn().finally(() => {
      running = undefined
    })
    return running
  }
}

async function follow(
  client: Client,
  signal: AbortSignal,
  look: () => Promise<void>,
  note: (text: string) => void,
): Promise<void> {
  const looked = () =>
    look().catch((thrown: unknown) => signal.aborted || note(`${toAppError(thrown).message} Trying again.`))
  try {
    const { feedHead } = await client.status({ signal })
    await looked()
    const options = {
      signal,
      onRetry: (error: Error) => note(`${error.message}; trying again`),
      onOpen: () => void looked(),
    }
    for await (const _ of client.feed.follow({ after: feedHead }, options)) void looked()
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
}

interface Seen {
  status: TerminalStatus
  /** The most urgent need. */
  need: string
  rows: Row[]
  head(url: string): string
}

async function load(client: Client, agent: string | undefined, signal: AbortSignal): Promise<Seen> {
  const [overview, rows, { sessions }] = await Promise.all([
    client.overview({ agent }, { signal }),
    treeRows(client, agent, signal),
    client.sessions.list({ limit: RECENT, agent }, { signal }),
  ])
  // What is at work stands in the tree already.
  const recent = sessions.filter(({ id }) => !rows.some(({ sessionId }) => sessionId === id)).map(recentRow)
  const { needs, counts, running } = overview
  const cost = running.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  return {
    status: needs.length > 0 ? 'blocked' : counts.running > 0 ? 'working' : 'idle',
    need: needs[0]?.title ?? '',
    rows: [...needs.map(needRow), ...rows, ...recent],
    head: (url) =>
      oneLine(
        `lode top${agent === undefined ? '' : ` of ${agent}`}: ${needCounts(counts.needs) ?? 'nothing needs you'}; ${counts.running} running, ${dollars(cost, false)}; ${url}`,
      ),
  }
}

/** The tree of what is at work, from the outside in. */
async function treeRows(client: Client, agent: string | undefined, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  const visit = async (under: string | undefined, depth: number): Promise<void> => {
    const { entries } = await client.tree.level({ under, status: AT_WORK, limit: MOST_ENTRIES, agent }, { signal })
    for (const entry of entries) {
      if (rows.length >= MOST_ENTRIES) return
      rows.push(treeRow(entry, depth))
      if (entry.childCount > 0 && depth < DEEPEST_LEVEL) await visit(entry.id, depth + 1)
    }
  }
  await visit(undefined, 0)
  return rows
}

/** @returns what to say of it */
async function perform(context: Context, server: ServerConnection, act: Act, signal: AbortSignal): Promise<string> {
  const { client } = server
  switch (act.kind) {
    case 'quit':
      return ''
    case 'answer': {
      const { question } = await client.questions.answer(act.questionId, { behavior: act.behavior }, { signal })
      return `${act.behavior === 'allow' ? 'allowed' : 'denied'}: ${question.toolName} of ${question.taskId}`
    }
    case 'dismiss':
      await client.needs.dismiss({ id: act.needId }, { signal })
      return 'dismissed'
    case 'send': {
      const { message } = await client.messages.send({ to: act.to, text: act.text }, { signal })
      return `message ${message.id} to ${message.to}: ${message.status}`
    }
    case 'open': {
      const page = await pageFor(act.row, client)
      const isOpened = await openDashboard(context, server, page)
      return isOpened ? `opened ${page}` : `no browser is here; the page is ${server.url}${page}`
    }
  }
}

const pageFor = async ({ taskId, sessionId }: Row, client: Client): Promise<string> =>
  taskId === null && sessionId === null ? '/' : await pageOf(taskId ?? sessionId ?? '/', client)
