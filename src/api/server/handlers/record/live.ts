import type { SessionId } from '../../../../domain/ids'
import { sessionId, toolUseId } from '../../../../domain/ids'
import { foldLive, type LiveWords, wholeWords } from '../../../../domain/session/live'
import type { StoredSession } from '../../../../domain/session/session-store'
import { sessions } from '../../../contract/operations/sessions'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { readOutput } from './read-output'

/** Bytes at the end of a run's output that are looked at: 500 pieces of a message, which come 20 characters at a time. */
const OUTPUT_BYTES = 128 * 1_024
/** Characters that are shown of the end of the words, and of one output. */
const WORDS_LIMIT = 20_000
const TEXT_LIMIT = 8_000
/** Calls and shells that are listed. */
const MAX_OUTPUTS = 10
/** Background work among which running shells are looked for. */
const MAX_WORK = 50

/** Nothing is kept between two calls: any of several servers can answer. */
export const sessionLive = handle(sessions.live, async ({ params }, context) => {
  const { registry, sessions: stored } = context.store
  const given = sessionId(params.id)
  const named = await registry.workerOf(given)
  // A run whose conversation has no line yet.
  if (named?.isLive && (await stored.find(given)) === undefined)
    return { sessionId: given, taskId: named.taskId, words: '', isCut: false, outputs: [], shells: [] }
  const session = await getSession(params.id, context)
  const worker = named ?? (await registry.workerOf(session.id))
  const live = worker?.isLive ? await ofRun(session, context) : NOTHING
  // Masked before it is cut: half of a secret is not known as one.
  const told = (text: string, limit: number, isCut: boolean) => wholeWords(context.mask.text(text), limit, isCut)
  const words = told(live.words, WORDS_LIMIT, live.isCut)
  const outputs = live.outputs.slice(-MAX_OUTPUTS).map(async ({ call, text }) => {
    const id = toolUseId(call)
    const used = (await context.store.toolUses.find(id)).find(({ sessionId }) => sessionId === session.id)
    return { toolUseId: id, toolName: used?.name ?? null, ...told(text, TEXT_LIMIT, false) }
  })
  return {
    sessionId: session.id,
    taskId: worker?.isLive ? worker.taskId : null,
    words: words.text,
    isCut: words.isCut,
    outputs: await Promise.all(outputs),
    shells: await runningShells(session.id, context),
  }
})

const NOTHING: LiveWords = { words: '', isCut: false, outputs: [] }

/** What the end of the run's output says; the newest journal of that kind is that of the run under way. */
async function ofRun({ id, agent }: StoredSession, { store, services }: Context): Promise<LiveWords> {
  const streams = (await store.journals.listBySession(id))
    .filter(({ kind }) => kind === 'stream')
    .flatMap(({ incarnations }) => incarnations.slice(0, 1))
  const newest = streams.sort((a, b) => b.openedAt.localeCompare(a.openedAt))[0]
  if (newest === undefined) return NOTHING
  const from = Math.max(0, newest.size - OUTPUT_BYTES)
  const parts: Uint8Array[] = []
  for await (const part of store.journals.read(newest.id, from)) parts.push(part)
  const bytes = Buffer.concat(parts)
  const whole = from === 0 ? bytes : bytes.subarray(bytes.indexOf(10) + 1)
  return foldLive(await services.agentLines.liveOf(agent, whole, id), from === 0)
}

async function runningShells(session: SessionId, context: Context) {
  const { work } = await context.store.runs.recover(session, MAX_WORK)
  const running = work.filter(({ state, subagent }) => state === 'running' && subagent.kind !== 'agent')
  return await Promise.all(
    running.slice(0, MAX_OUTPUTS).map(async ({ subagent }) => {
      const { text, isCut } = await readOutput(subagent, { tail: null, maxBytes: TEXT_LIMIT, isOver: false }, context)
      return { id: subagent.id, description: subagent.description, text, isCut }
    }),
  )
}
