import type { Client } from '../api/client'
import type { Session, TreeNode } from '../domain/session/session'
import { createChanges } from './changes'

export interface StageOptions {
  client: Client
  /** Writes to the terminal. */
  print: (text: string) => void
  /** The terminal can be redrawn in place; else lines are only added. */
  isTerminal: boolean
  /** Draws a session's tree, lines with their newline and no wider than the terminal. */
  drawTree: (session: Session, tree: TreeNode) => string
}

/** Where the demo is shown: sentences that stay, and below them the trees as the record has them at this moment. */
export interface Stage {
  /** Adds a sentence. */
  say(text: string): void
  /** Follows the feed and keeps the trees true until `stop`. */
  start(): void
  /** Shows the trees of these sessions from now on. */
  watch(sessionId: string): void
  /** Brings the trees up to date a last time and leaves them standing; once. */
  stop(): Promise<void>
}

/** The shortest time between two drawings: often enough to look alive, seldom enough to be read. */
const MIN_INTERVAL_MS = 80
/** Ages and spinning tools change without a row: the trees are drawn again after this. */
const MAX_INTERVAL_MS = 1_000

export function createStage({ client, print, isTerminal, drawTree }: StageOptions): Stage {
  const sessions: string[] = []
  const changes = createChanges()
  const ending = new AbortController()
  let shown = ''
  let wake = Promise.withResolvers<void>()
  let running: Promise<unknown> = Promise.resolve()

  /** Puts `above` (which stays) and `below` (which is replaced next time) where the last `below` was. */
  const redraw = (above: string, below: string) => {
    const lines = shown.split('\n').length - 1
    print(`${lines > 0 ? `\u001b[${lines}A\u001b[0J` : ''}${above}${below}`)
    shown = below
  }

  async function refresh(): Promise<void> {
    const found: { session: Session; tree: TreeNode }[] = []
    for (const id of sessions) {
      // A session that the collector has not met yet is no error: it comes with the next change.
      const answer = await client.sessions.tree(id).catch(() => null)
      if (answer) found.push(answer)
    }
    if (isTerminal) {
      redraw('', found.map(({ session, tree }) => `\n${drawTree(session, tree)}`).join(''))
      return
    }
    for (const { session, tree } of found) for (const line of changes(session, tree)) print(`      ${line}\n`)
  }

  async function draw(): Promise<void> {
    while (!ending.signal.aborted) {
      await Promise.race([wake.promise, Bun.sleep(MAX_INTERVAL_MS)])
      wake = Promise.withResolvers()
      await refresh()
      await Bun.sleep(MIN_INTERVAL_MS)
    }
  }

  async function follow(): Promise<void> {
    try {
      for await (const _ of client.feed.follow({}, { signal: ending.signal })) wake.resolve()
    } catch (error) {
      if (!ending.signal.aborted) throw error
    }
  }

  return {
    say(text) {
      redraw(`${text}\n`, shown)
    },
    start() {
      running = Promise.all([draw(), follow()])
      // Awaited by `stop`; until then a failure must not count as unhandled.
      running.catch(() => {})
    },
    watch(sessionId) {
      sessions.push(sessionId)
      wake.resolve()
    },
    async stop() {
      if (ending.signal.aborted) return
      ending.abort()
      wake.resolve()
      await running
      await refresh()
      shown = ''
    },
  }
}
