import type { Client } from '../../api/client'
import type { Context } from '../kit/context'
import { count, dollars } from '../print/measures'

/** Says what a resume or a fork of a session reads again, before it does. Nothing where it is not known. */
export async function noteReplay(context: Context, client: Client, session: string | null): Promise<void> {
  if (session === null || context.globals.isJson) return
  const { replay } = await client.sessions.replay(session).catch(() => ({ replay: null }))
  if (replay === null) return
  const cost = replay.costUsd === null ? '' : `, ${dollars(replay.costUsd, true)} where its prompt cache is over`
  context.note(`it reads about ${count(replay.tokens)} tokens again${cost}`)
}

/** The conversation that a task is in, or was in last; `null` = none yet. What is wrong with the ID is said by what comes next. */
export async function conversationOf(client: Client, task: string): Promise<string | null> {
  const found = await client.tasks.get(task).catch(() => null)
  return found?.attempts.findLast(({ conversation }) => conversation !== null)?.conversation?.sessionId ?? null
}
